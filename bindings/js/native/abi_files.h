/* abi_files.h - files whose header the core reads, while their elements stay in the memory of the host. */
#ifndef STRIA_ABI_FILES_H
#define STRIA_ABI_FILES_H

#include "abi_table.h"

/* Checks the header of a safetensors file of file_nbytes from its first nbytes: where the header ends, if it is not all there; 0 if it
 * is and the file keeps the rules; minus a status. */
double stria_abi_safetensors_check(const void *bytes, size_t nbytes, double file_nbytes);

#endif
