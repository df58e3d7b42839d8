/* list.c - lists of tensors that functions make. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/tensor.h"

stria_status stria_tensor_list_new(stria_tensor_list *list, int64_t n, const char *op, const char *argument,
                                   stria_error *err)
{
    char expected[48], got[32];

    *list = (stria_tensor_list){NULL, 0};
    if (n > STRIA_MAX_LIST) {
        snprintf(expected, sizeof expected, "at most %d tensors", STRIA_MAX_LIST);
        snprintf(got, sizeof got, "%lld", (long long)n);
        return stria_error_set(err, STRIA_ERR_ARGUMENT, op, argument, expected, got,
                               "%s asks for %s tensors, and a list has %s", argument, got, expected);
    }
    if (n == 0) return STRIA_OK;
    list->at = stria_object_new((size_t)n * sizeof *list->at);
    if (!list->at)
        return stria_error_set(err, STRIA_ERR_MEMORY, op, argument, NULL, NULL, "no memory for a list of %lld tensors",
                               (long long)n);
    list->n = (int)n;
    return STRIA_OK;
}

void stria_tensor_list_release(stria_tensor_list *list)
{
    if (!list) return;
    for (int k = 0; k < list->n; k++) stria_tensor_release(list->at[k]);
    stria_object_release(list->at);
    *list = (stria_tensor_list){NULL, 0};
}
