/* abi_files.c - the headers of files. */
#include "abi_files.h"

#include "io/safetensors.h"

double stria_abi_safetensors_check(const void *bytes, size_t nbytes, double file_nbytes)
{
    const uint64_t     total = file_nbytes >= (double)nbytes ? (uint64_t)file_nbytes : nbytes;
    stria_error       *err = &stria_abi_get_scratch()->error;
    stria_safetensors *file = NULL;
    uint64_t           end;
    stria_status       status = stria_safetensors_get_header(bytes, nbytes, total, &end, err);

    if (status != STRIA_OK) return -(double)status;
    if (nbytes < end) return (double)end;
    status = stria_safetensors_read(bytes, end, total, &file, err);
    stria_safetensors_release(file);
    return -(double)status;
}
