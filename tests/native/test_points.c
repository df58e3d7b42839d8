/* test_points.c - tests/data/op_points.txt: points of every row of ops.def and every dtype that it has loops for, with what the oracle of
 * samples.def makes of them, for tests in other languages.
 *
 *     test_points [FILE]           the file has a line for each row and dtype; the library and the file agree with the oracle
 *     test_points --write FILE     writes FILE
 *
 * A line: name, dtypes of the operands, dtype of the result, bound in units in the last place (0: exact), then points
 * "operand,operand=result". bool and integers are decimal, floats their bits in hexadecimal digits. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#define POINTS 12
#define MOST_LINE 2048

typedef struct line {
    const oracle_op *op;
    stria_op         number;
    stria_dtype      compute, result;
    value            in[POINTS][STRIA_MAX_INPUTS];
    char             elements[STRIA_MAX_INPUTS][POINTS][8];
} line;

static stria_dtype get_operand_dtype(const line *l, int k) { return oracle_input_dtype(l->op, k, l->compute); }

/* The points of a row and dtype, always the same. */
static void make_points(line *l, stria_op number, stria_dtype compute)
{
    random_state random = {1 + (uint64_t)compute};

    memset(l, 0, sizeof *l);
    l->op = &oracle_ops[number];
    l->number = number;
    l->compute = compute;
    l->result = l->op->rule == ORACLE_BOOL ? STRIA_BOOL : compute;
    for (const char *c = l->op->name; *c; c++) random.state = random.state * 31 + (uint64_t)*c;
    for (int p = 0; p < POINTS; p++)
        for (int k = 0; k < l->op->arity; k++) {
            const stria_dtype dtype = get_operand_dtype(l, k);
            random_element(&random, dtype, l->op->low, l->op->high, l->elements[k][p]);
            value_canonicalise(dtype, l->elements[k][p], 1);
            l->in[p][k] = value_convert(value_get(dtype, l->elements[k][p]), dtype);
        }
}

static void print_element(char *text, size_t size, stria_dtype dtype, const char *at)
{
    uint64_t bits = 0;
    uint32_t short_bits;

    if (dtype == STRIA_F64) {
        memcpy(&bits, at, sizeof bits);
        snprintf(text, size, "%016llx", (unsigned long long)bits);
    } else if (dtype == STRIA_F32) {
        memcpy(&short_bits, at, sizeof short_bits);
        snprintf(text, size, "%08lx", (unsigned long)short_bits);
    } else {
        const whole_int whole = value_get(dtype, at).whole;
        if (whole < 0)
            snprintf(text, size, "%lld", (long long)whole);
        else
            snprintf(text, size, "%llu", (unsigned long long)whole);
    }
}

static void read_element(const char *text, stria_dtype dtype, char *at)
{
    if (dtype == STRIA_F64 || dtype == STRIA_F32) {
        const uint64_t bits = strtoull(text, NULL, 16);
        const uint32_t short_bits = (uint32_t)bits;
        if (dtype == STRIA_F64)
            memcpy(at, &bits, sizeof bits);
        else
            memcpy(at, &short_bits, sizeof short_bits);
        return;
    }
    const whole_int whole = text[0] == '-' ? (whole_int)strtoll(text, NULL, 10) : (whole_int)strtoull(text, NULL, 10);
    value_set(dtype, value_from_whole(whole), at);
}

/* "name f32,f32 bool 0", of the public names of dtypes; and " a,b=" of point p. */
static void print_head(const line *l, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%s ", l->op->name);

    for (int k = 0; k < l->op->arity; k++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", k ? "," : "", stria_dtype_get_name(get_operand_dtype(l, k)));
    snprintf(text + n, size - n, " %s %g", stria_dtype_get_name(l->result),
             dtype_is_float(l->result) ? l->op->ulp : 0.0);
}

static void print_point(const line *l, int p, char *text, size_t size)
{
    size_t n = 0;

    for (int k = 0; k < l->op->arity; k++) {
        char element[32];
        print_element(element, sizeof element, get_operand_dtype(l, k), l->elements[k][p]);
        n += (size_t)snprintf(text + n, size - n, "%s%s", k ? "," : " ", element);
    }
    snprintf(text + n, size - n, "=");
}

/* ---------------------------------------------------------------- the library */

/* The points as tensors, and the library's results at them. */
static void check_library(const line *l)
{
    const int64_t       shape[] = {POINTS};
    stria_tensor       *x[STRIA_MAX_INPUTS] = {NULL}, *y = NULL;
    const stria_tensor *in[STRIA_MAX_INPUTS];

    for (int k = 0; k < l->op->arity; k++) {
        const size_t size = stria_dtype_get_size(get_operand_dtype(l, k));
        CHECK_STATUS(stria_tensor_new(get_operand_dtype(l, k), 1, shape, &x[k], NULL), STRIA_OK);
        for (int p = 0; p < POINTS; p++)
            memcpy((char *)stria_tensor_get_data(x[k]) + (size_t)p * size, l->elements[k][p], size);
        in[k] = x[k];
    }
    CHECK_STATUS(stria_apply(l->number, in, l->op->arity, &y, NULL), STRIA_OK);
    for (int64_t p = 0; y && p < POINTS; p++) {
        char text[96] = "";
        CHECK(oracle_check(l->op, l->compute, l->in[p], l->result, tensor_at(y, &p), text, sizeof text),
              "%s %s: point %d, expected %s", l->op->name, stria_dtype_get_name(l->compute), (int)p, text);
    }
    for (int k = 0; k < l->op->arity; k++) stria_tensor_release(x[k]);
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- the file */

static void write_line(const line *l, FILE *file)
{
    char text[256], result[16];

    print_head(l, text, sizeof text);
    fputs(text, file);
    for (int p = 0; p < POINTS; p++) {
        print_point(l, p, text, sizeof text);
        fputs(text, file);
        value_set(l->result, oracle_result(l->op, l->compute, l->in[p]), result);
        value_canonicalise(l->result, result, 1);
        print_element(text, sizeof text, l->result, result);
        fputs(text, file);
    }
    fputs("\n", file);
}

static void check_line(const line *l, FILE *file)
{
    char        text[MOST_LINE] = "", wanted[256], expected[96] = "", result[16];
    const char *at = text;

    print_head(l, wanted, sizeof wanted);
    if (!fgets(text, sizeof text, file)) text[0] = 0;
    CHECK(strncmp(at, wanted, strlen(wanted)) == 0,
          "the line of %s is not there; write the file anew after a new row, with --write", wanted);
    if (strncmp(at, wanted, strlen(wanted)) != 0) return;
    at += strlen(wanted);
    for (int p = 0; p < POINTS; p++) {
        print_point(l, p, wanted, sizeof wanted);
        CHECK(strncmp(at, wanted, strlen(wanted)) == 0, "%s: point %d is not%s", l->op->name, p, wanted);
        if (strncmp(at, wanted, strlen(wanted)) != 0) return;
        at += strlen(wanted);
        read_element(at, l->result, result);
        CHECK(oracle_check(l->op, l->compute, l->in[p], l->result, result, expected, sizeof expected),
              "%s:%s%s, expected %s", l->op->name, wanted, at, expected);
        at += strcspn(at, " \n");
    }
}

SUITE(test_points)
{
    const bool  is_write = argc == 3 && strcmp(argv[1], "--write") == 0;
    const char *path = is_write ? argv[2] : argc > 1 ? argv[1] : "tests/data/op_points.txt";
    FILE       *file = fopen(path, is_write ? "w" : "r");
    char        end[2];
    static line l;

    check_isa("test_points");
    CHECK(file != NULL, "%s cannot be opened", path);
    CHECK(!is_write || LDBL_MANT_DIG > DBL_MANT_DIG, "the oracle needs a long double that is wider than double here");
    for (int op = 0; op < STRIA_OP_COUNT && file; op++)
        for (int d = 0; d <= STRIA_F64; d++) {
            if (!oracle_op_has(&oracle_ops[op], (stria_dtype)d)) continue;
            make_points(&l, (stria_op)op, (stria_dtype)d);
            check_library(&l);
            if (is_write)
                write_line(&l, file);
            else
                check_line(&l, file);
        }
    if (file) CHECK(is_write || fgets(end, sizeof end, file) == NULL, "more lines than rows");
    if (file) fclose(file);
    return check_finish("test_points");
}
