/* mlir.h - the text of a graph as an MLIR module (stria_mlir.h). Internal.
 *
 * Values are named by the texts that make them: %in0 a buffer, %v3 a value of a loop, %v3.7 instruction 7 of the tape
 * that makes it. */
#ifndef STRIA_COMPILE_MLIR_H
#define STRIA_COMPILE_MLIR_H

#include "compile/graph.h"
#include "cpu/expression.h"
#include "ir.h"
#include "stria_mlir.h"

/* ---------------------------------------------------------------- texts */

typedef enum stria_mlir_failure { STRIA_MLIR_FINE, STRIA_MLIR_NO_MEMORY, STRIA_MLIR_TOO_LONG } stria_mlir_failure;

/* A text that grows; after a failure nothing is added. */
typedef struct stria_mlir_text {
    char              *at; /* ends with 0 */
    size_t             n, room;
    stria_mlir_failure failure;
} stria_mlir_text;

void stria_mlir_put(stria_mlir_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A name of a value. */
typedef struct stria_mlir_name {
    char at[48];
} stria_mlir_name;
stria_mlir_name stria_mlir_get_name(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The lines of a template, each with this indentation, with places in it filled in:
 *
 *     $r       the result, and $r_0 .. values on the way
 *     $a $b $c operands
 *     $t $u    types, as a rule of lanes, and of integers of their width
 *     $n $w    numbers: of the instruction, of bits of a lane
 *     $x $l $h a constant, and the ends of a range
 */
typedef struct stria_mlir_places {
    const char *result, *operand[3], *type, *other, *constant, *lowest, *highest;
    int64_t     number;
    int         width;
} stria_mlir_places;
void stria_mlir_put_template(stria_mlir_text *text, int indent, const char *lines, const stria_mlir_places *places);

/* ---------------------------------------------------------------- a module */

/* Functions that words and conversions call. (mlir_functions.c) */
typedef enum stria_mlir_function {
    STRIA_MLIR_ANGLE,
    STRIA_MLIR_GCD_I8,
    STRIA_MLIR_GCD_I16,
    STRIA_MLIR_GCD_I32,
    STRIA_MLIR_GCD_I64,
    STRIA_MLIR_F16_OF_F32,
    STRIA_MLIR_F16_OF_F64,
    STRIA_MLIR_BF16_OF_F32,
    STRIA_MLIR_BF16_OF_F64,
    STRIA_MLIR_FUNCTIONS
} stria_mlir_function;

typedef struct stria_mlir {
    const stria_graph      *graph;
    const stria_graph_form *form;
    stria_mlir_text         text;
    int64_t *lowest; /* [buffers]: where the first element that a view looks at begins; at most 0, a multiple of 16 */
    stria_mlir_name *names; /* [buffers] */
    int8_t         *memory; /* [buffers]: dtype that the memref of this name has elements of; STRIA_DTYPE_NONE: bytes */
    uint16_t       *dtypes; /* [buffers]: bit d: views have dtype d */
    bool           *is_called;                                /* [steps]: they are calls of the library */
    uint8_t         rows[STRIA_OP_COUNT][STRIA_DTYPE_COUNT];  /* stria_mlir_form */
    bool            quick[STRIA_OP_COUNT][STRIA_DTYPE_COUNT]; /* the quick form is called */
    bool            is_needed[STRIA_MLIR_FUNCTIONS];
    stria_ir_tape  *tape;
    int             n_values; /* of the loop that is being written */
    bool            is_quick; /* rows in it are written in their quick forms, where they have one */
    stria_mlir_name far;      /* whether an element so far was beyond them */
} stria_mlir;

enum stria_mlir_form { STRIA_MLIR_UNKNOWN, STRIA_MLIR_NO_TAPE, STRIA_MLIR_INLINE, STRIA_MLIR_CALLED };

/* Of lanes and elements: "f32", "i8"; of bf16 "i16", its bits; NULL: complex. */
const char *stria_mlir_get_type(stria_dtype dtype);

/* Whether buffer k is an argument of the graph's function, and so of stria_graph_run_program's list. */
bool stria_mlir_is_argument(const stria_graph_form *form, int k);
/* The lowest offsets of all buffers: [buffers], zeroed. */
void stria_mlir_find_lowest(const stria_graph_form *form, int64_t *lowest);

/* The name of the memref of buffer k with elements of this dtype. */
stria_mlir_name stria_mlir_get_memref(const stria_mlir *m, int k, stria_dtype dtype);
/* Its type, without a layout. */
stria_mlir_name stria_mlir_get_memref_type(const stria_mlir *m, int k, stria_dtype dtype);
/* In elements from its first one; false: it is between two. */
bool stria_mlir_get_offset(const stria_mlir *m, const stria_graph_view *view, int64_t *offset);

/* ---------------------------------------------------------------- words (mlir_words.c) */

/* Whether there is a tape for the row, and whether it is short. */
enum stria_mlir_form stria_mlir_find_row(stria_mlir *m, stria_op op, stria_dtype compute);
/* `result` = the row of these operands, lanes of the dtype; masks are lanes of bool. */
stria_mlir_name stria_mlir_put_row(stria_mlir *m, stria_op op, stria_dtype compute, const stria_mlir_name *operands,
                                   int indent);
/* Whether the row has a quick form (simd/quick.h). */
bool stria_mlir_is_quick_row(stria_mlir *m, stria_op op, stria_dtype compute);
/* The functions of all rows that are called. */
void stria_mlir_put_rows(stria_mlir *m);
/* Those that they need. */
void stria_mlir_put_functions(stria_mlir *m);

/* ---------------------------------------------------------------- conversions (mlir_cast.c) */

bool            stria_mlir_has_cast(stria_dtype from, stria_dtype to);
stria_mlir_name stria_mlir_put_cast(stria_mlir *m, stria_dtype from, stria_dtype to, stria_mlir_name x, int indent);
/* `value`, of a dtype, as a constant of a type. */
stria_mlir_name stria_mlir_put_constant(stria_mlir *m, stria_dtype dtype, const void *value, int indent);

/* ---------------------------------------------------------------- runs (mlir_run.c) */

/* What a program of a form is given, found once. One block, to be released as an object. */
typedef struct stria_mlir_layout {
    const stria_graph_form *form;
    int64_t                *lowest; /* [buffers] */
    int                    *given;  /* [n] buffers that are arguments */
    int                     n;
    bool                    writes; /* to what lives on */
} stria_mlir_layout;

stria_mlir_layout *stria_mlir_layout_new(const stria_graph_form *form); /* NULL: no memory */
stria_status       stria_mlir_layout_run(const stria_mlir_layout *layout, stria_mlir_program *program,
                                         const stria_graph_frame *frame, stria_error *err);

/* ---------------------------------------------------------------- code in this process (mlir_compile.c) */

/* Machine code of a text. */
typedef struct stria_mlir_code stria_mlir_code;

/* Of its function graph_run, by the plug-in that is open; or that which was made of the same text before, and is kept. A reference, to be
 * released. */
stria_status        stria_mlir_code_new(const char *text, stria_mlir_code **out, stria_error *err);
stria_mlir_program *stria_mlir_code_get_program(const stria_mlir_code *code);
void                stria_mlir_code_release(stria_mlir_code *code); /* NULL is allowed */

/* ---------------------------------------------------------------- products of matrices (mlir_products.c) */

static inline const stria_graph_view *stria_mlir_get_view(const stria_mlir *m, int view)
{
    return &m->form->views.at[view];
}

/* Whether linalg takes it. */
bool stria_mlir_is_product(const stria_mlir *m, const stria_graph_step *step);
void stria_mlir_put_product(stria_mlir *m, const stria_graph_step *step);

/* ---------------------------------------------------------------- steps (mlir_steps.c) */

/* Writes the step as loops or as a product; false, and nothing: it has to be a call. */
stria_status stria_mlir_put_step(stria_mlir *m, const stria_graph_step *step, bool *is_done, stria_error *err);

#endif
