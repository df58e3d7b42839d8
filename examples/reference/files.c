/* files.c - examples of docs/reference: the headers beside stria.h. */
#include "reference.h"
#include "stria_dlpack.h"
#include "stria_safetensors.h"

EXAMPLE(safetensors_new)
{
    void              *bytes;
    size_t             nbytes;
    stria_safetensors *file;

    x = of(STRIA_F32, "[[1, 2], [3, 4]]");
    TRY(stria_safetensors_copy((stria_safetensors_item[]){{"weight", x}}, 1, NULL, 0, &bytes, &nbytes, &err));
    TRY(stria_safetensors_new(bytes, nbytes, &file, &err));
    EQUALS(file->n_entries, "1");
    IS_TEXT(file->entries[0].name, "weight");
    stria_safetensors_release(file);
    stria_bytes_release(bytes);
}

EXAMPLE(safetensors_copy_entry)
{
    void              *bytes;
    size_t             nbytes;
    stria_safetensors *file;

    x = of(STRIA_I64, "[5, 6]");
    TRY(stria_safetensors_copy((stria_safetensors_item[]){{"ids", x}}, 1, NULL, 0, &bytes, &nbytes, &err));
    TRY(stria_safetensors_new(bytes, nbytes, &file, &err));
    TRY(stria_safetensors_copy_entry(stria_safetensors_get(file, "ids"), &y, &err));
    stria_safetensors_release(file);
    stria_bytes_release(bytes);
    IS(y, "[5, 6]");
}

EXAMPLE(safetensors_copy)
{
    void  *bytes;
    size_t nbytes;

    x = of(STRIA_U8, "[7, 8, 9]");
    TRY(stria_safetensors_copy((stria_safetensors_item[]){{"x", x}}, 1, (const char *[]){"made by", "an example"}, 1,
                               &bytes, &nbytes, &err));
    EQUALS(((const unsigned char *)bytes)[nbytes - 1], "9"); /* elements lie behind the header */
    stria_bytes_release(bytes);
}

EXAMPLE(dlpack_new)
{
    struct DLManagedTensor *shared;

    x = of(STRIA_F32, "[1, 2, 3]");
    TRY(stria_dlpack_new(x, &shared, &err));
    ((float *)shared->dl_tensor.data)[0] = 10; /* the memory is that of x */
    shared->deleter(shared);
    IS(x, "[10, 2, 3]");
}

EXAMPLE(dlpack_new_versioned)
{
    struct DLManagedTensorVersioned *copy;

    x = of(STRIA_F32, "[1, 2, 3]");
    TRY(stria_dlpack_new_versioned(x, DLPACK_FLAG_BITMASK_IS_COPIED, &copy, &err));
    ((float *)copy->dl_tensor.data)[0] = 10;
    copy->deleter(copy);
    IS(x, "[1, 2, 3]");
}

EXAMPLE(tensor_new_dlpack)
{
    struct DLManagedTensor *theirs;

    TRY(stria_dlpack_new(of(STRIA_F64, "[[1, 2], [3, 4]]"), &theirs, &err)); /* as another library would give it */
    TRY(stria_tensor_new_dlpack(theirs, &x, &err));
    IS(x, "[[1, 2], [3, 4]]");
}

EXAMPLE(tensor_new_dlpack_versioned)
{
    struct DLManagedTensorVersioned *theirs;

    TRY(stria_dlpack_new_versioned(of(STRIA_I32, "[1, 2]"), 0, &theirs, &err));
    TRY(stria_tensor_new_dlpack_versioned(theirs, &x, &err));
    IS(x, "[1, 2]");
}
