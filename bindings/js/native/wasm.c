/* wasm.c - what the WebAssembly module exports beside abi.def: the scratch block, and memory for bytes that come from
 * JavaScript. JavaScript reads and writes the module's memory itself. */
#include "abi_files.h"
#include "abi_table.h"
#include "base/alloc.h"
#include "wasm/code.h"

static stria_abi_scratch scratch;

/* Address of the scratch block; starts the ABI. */
STRIA_ABI_EXPORT double stria_wasm_open(void)
{
    stria_abi_open(&scratch);
    stria_code_set(stria_code_try);
    return (double)(uintptr_t)&scratch;
}

/* Functions that were made for expressions; -1 once the host has refused to make one. */
STRIA_ABI_EXPORT double stria_wasm_compiled(void)
{
    const stria_code_counts n = stria_code_get_counts();
    return n.refused > 0 ? -1 : n.compiled;
}

#if defined(__wasm_relaxed_simd__)
/* Its export is how the loader tells this module from the one with threads alone. */
STRIA_ABI_EXPORT double stria_wasm_relaxed(void) { return 1; }
#endif

/* Address of the nbytes of elements of a contiguous tensor, or minus a status. */
STRIA_ABI_EXPORT double stria_wasm_elements(double handle, double nbytes)
{
    double        failure;
    stria_tensor *x = stria_abi_get_flat(handle, nbytes, "elements", &failure);
    return x ? (double)(uintptr_t)stria_tensor_get_data(x) : failure;
}

/* Leaves every view of the module's memory in JavaScript empty, where the engine can (not where memory is shared). Growing by
 * nothing does that, by the JavaScript interface of WebAssembly; the module's own views are made anew. */
EM_JS(void, renew_views, (void), {
    wasmMemory.grow(0);
    updateMemoryViews();
});

STRIA_ABI_EXPORT double stria_wasm_revoke(void)
{
    renew_views();
    return 0;
}

/* Address of nbytes of memory, or 0. */
STRIA_ABI_EXPORT double stria_wasm_bytes_new(double nbytes)
{
    return nbytes >= 0 && nbytes < 0x1p32 ? (double)(uintptr_t)stria_object_new((size_t)nbytes + 1) : 0;
}

STRIA_ABI_EXPORT double stria_wasm_bytes_release(double address)
{
    stria_object_release((void *)(uintptr_t)address);
    return 0;
}

/* Handle of the tensor in the bytes of a .npy file. */
STRIA_ABI_EXPORT double stria_wasm_npy_get(double address, double nbytes)
{
    stria_tensor *x = NULL;
    stria_status  status =
        stria_npy_get((const void *)(uintptr_t)address, (size_t)nbytes, &x, &stria_abi_get_scratch()->error);
    return stria_abi_get_result(status, x);
}

/* Address and count of the .npy bytes of x in n[0] and n[1]; to be ended with stria_wasm_npy_release. */
STRIA_ABI_EXPORT double stria_wasm_npy_copy(double a)
{
    stria_tensor *x = stria_abi_get_tensor(a, "toNpy", "x");
    void         *bytes;
    size_t        nbytes;
    stria_status  status;
    if (!x) return -STRIA_ERR_DISPOSED;
    status = stria_npy_copy(x, &bytes, &nbytes, &stria_abi_get_scratch()->error);
    if (status != STRIA_OK) return -(double)status;
    stria_abi_get_scratch()->n[0] = (double)(uintptr_t)bytes;
    stria_abi_get_scratch()->n[1] = (double)nbytes;
    return 0;
}

STRIA_ABI_EXPORT double stria_wasm_safetensors_check(double address, double nbytes, double file_nbytes)
{
    return stria_abi_safetensors_check((const void *)(uintptr_t)address, (size_t)nbytes, file_nbytes);
}

STRIA_ABI_EXPORT double stria_wasm_npy_release(double address)
{
    stria_bytes_release((void *)(uintptr_t)address);
    return 0;
}
