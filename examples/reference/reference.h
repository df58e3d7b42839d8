/* reference.h - what the C examples of docs/reference share. Each file <family>.c has one EXAMPLE for each row of that family
 * (src/core/table/families.def); the suite test_reference runs them all.
 *
 *     EXAMPLE(add)
 *     {
 *         a = of(STRIA_F32, "[1, 2, 3]");
 *         TRY(stria_add(a, of(STRIA_F32, "10"), &y, &err));
 *         IS(y, "[11, 12, 13]");
 *     }
 *
 * of(dtype, text)      a tensor of the nested list of numbers in the text; the example need not release it
 * INT(n), REAL(v)      numbers as arguments
 * TRY(call)            ends the example as failed where the call does not return STRIA_OK
 * IS(x, text)          checks that these are the elements of x. Numbers that are not whole are rounded to 4 places behind the point,
 *                      those below 0.001 to 4 digits
 * IS_ALL(list, text)   the same of every tensor of a list, one behind the other
 * EQUALS(value, text)  the same of a number
 * IS_TEXT(value, text) that two texts are equal
 *
 * The variables below are NULL when an example begins, and are released when it ends.
 */
#ifndef STRIA_REFERENCE_H
#define STRIA_REFERENCE_H

#include <string.h>

#include "stria.h"

extern stria_tensor     *a, *b, *c, *x, *y, *values, *indices, *out;
extern stria_tensor_list list;
extern stria_error       err;

stria_tensor *of(stria_dtype dtype, const char *text);

void reference_add(const char *name, const char *file, void (*run)(void));
bool reference_check(bool ok, const char *file, int line);
void reference_compare(const stria_tensor *const *tensors, int n, const char *text, const char *file, int line);
void reference_text(const char *value, const char *text, const char *file, int line);
void reference_equals(double value, const char *text, const char *file, int line);

/* Registered before main begins. */
#define EXAMPLE(name)                                                                                             \
    static void                              example_##name(void);                                                \
    __attribute__((constructor)) static void add_##name(void) { reference_add(#name, __FILE__, example_##name); } \
    static void                              example_##name(void)

#define TRY(call)                                                             \
    do {                                                                      \
        if (!reference_check((call) == STRIA_OK, __FILE__, __LINE__)) return; \
    } while (0)
#define INT(n) ((stria_scalar){.kind = STRIA_SCALAR_INT, .i = (n)})
#define REAL(v) ((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = (v)})
#define IS(x, text) reference_compare((const stria_tensor *const[]){x}, 1, text, __FILE__, __LINE__)
#define IS_ALL(list, text) reference_compare((const stria_tensor *const *)(list).at, (list).n, text, __FILE__, __LINE__)
#define EQUALS(value, text) reference_equals((double)(value), text, __FILE__, __LINE__)
#define IS_TEXT(value, text) reference_text(value, text, __FILE__, __LINE__)

#endif
