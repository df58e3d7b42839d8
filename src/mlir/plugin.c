/* plugin.c - libstria_mlir: the text of a graph (src/compile/mlir.c) becomes machine code in this process, by MLIR and LLVM.
 *
 * The text is parsed and verified, products of matrices are tiled by products.mlir, the passes of passes.txt take it down to LLVM's own form,
 * LLVM optimises that for this processor, and its linker puts the object into memory. A compile has contexts of its own, so that several
 * threads may compile at once, and a thread of its own, for LLVM wants more stack than callers may have. What they share is the linker, which
 * locks by itself. Code may call the functions of `symbols` and no others.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/mlir_plugin.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/Transform/Interpreter.h"
#include "mlir-c/Pass.h"
#include "mlir-c/RegisterEverything.h"
#include "mlir/llvm_c.h"
#include "mlir_texts.h" /* STRIA_MLIR_PASSES, STRIA_MLIR_PRODUCTS: of passes.txt and products.mlir */

enum { STACK_NBYTES = 64 << 20 }; /* touched as far as it is needed */

/* One compile. */
typedef struct job {
    const char *text, *entry;
    size_t      nbytes;
    char       *message;
    size_t      message_nbytes, n; /* of it, that are written */
    void      **code, **function;
    bool        is_done;
} job;

/* ---------------------------------------------------------------- what all compiles share */

static struct {
    MlirDialectRegistry dialects;
    LLVMOrcLLJITRef     linker;
    LLVMTargetRef       target;
    char               *triple, *cpu, *features;
    char                failure[256]; /* why there is no linker */
    atomic_ullong       n;            /* programs so far: each has a name of its own */
} shared;

static pthread_once_t once = PTHREAD_ONCE_INIT;

#define SYMBOL(name)                     \
    {                                    \
#name, (void *)(uintptr_t)(name) \
    }
static const struct {
    const char *name;
    void       *address;
} symbols[] = {SYMBOL(fmod),    SYMBOL(fmodf),  SYMBOL(memcpy), SYMBOL(memset),
               SYMBOL(memmove), SYMBOL(malloc), SYMBOL(free),   SYMBOL(aligned_alloc)};
#undef SYMBOL
enum { N_SYMBOLS = sizeof symbols / sizeof *symbols };

static void note(char *to, size_t nbytes, const char *what, LLVMErrorRef error)
{
    char *message = LLVMGetErrorMessage(error);

    snprintf(to, nbytes, "%s: %s", what, message);
    LLVMDisposeErrorMessage(message);
}

/* What the linker would print; link_object has the same. */
static void keep_quiet(void *context, LLVMErrorRef error)
{
    (void)context;
    LLVMConsumeError(error);
}

static LLVMErrorRef define_symbols(void)
{
    LLVMOrcCSymbolMapPair pairs[N_SYMBOLS];

    for (int k = 0; k < N_SYMBOLS; k++) {
        pairs[k].Name = LLVMOrcLLJITMangleAndIntern(shared.linker, symbols[k].name);
        pairs[k].Sym.Address = (uint64_t)(uintptr_t)symbols[k].address;
        pairs[k].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
        pairs[k].Sym.Flags.TargetFlags = 0;
    }
    return LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(shared.linker), LLVMOrcAbsoluteSymbols(pairs, N_SYMBOLS));
}

static void begin(void)
{
    char        *message = NULL;
    LLVMErrorRef error;

#if defined(__x86_64__)
    LLVMInitializeX86TargetInfo(), LLVMInitializeX86Target(), LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
#elif defined(__aarch64__)
    LLVMInitializeAArch64TargetInfo(), LLVMInitializeAArch64Target(), LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
    mlirRegisterAllPasses();
    shared.dialects = mlirDialectRegistryCreate();
    mlirRegisterAllDialects(shared.dialects);
    shared.triple = LLVMGetDefaultTargetTriple();
    shared.cpu = LLVMGetHostCPUName();
    shared.features = LLVMGetHostCPUFeatures();
    if (LLVMGetTargetFromTriple(shared.triple, &shared.target, &message)) {
        snprintf(shared.failure, sizeof shared.failure, "no code for %s: %s", shared.triple, message);
        LLVMDisposeMessage(message);
        return;
    }
    error = LLVMOrcCreateLLJIT(&shared.linker, NULL);
    if (error == NULL) {
        LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(shared.linker), keep_quiet, NULL);
        error = define_symbols();
    }
    if (error == NULL) return;
    note(shared.failure, sizeof shared.failure, "no linker", error);
    shared.linker = NULL;
}

/* ---------------------------------------------------------------- messages */

static void append(MlirStringRef part, void *context)
{
    job *j = context;

    for (size_t k = 0; k < part.length && j->n + 1 < j->message_nbytes; k++) j->message[j->n++] = part.data[k];
    j->message[j->n] = 0;
}

static void append_text(job *j, const char *text) { append(mlirStringRefCreateFromCString(text), j); }

/* The first error of a context; notes and what follows are left out. */
static MlirLogicalResult keep_first(MlirDiagnostic diagnostic, void *context)
{
    job *j = context;

    if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError && j->n == 0) {
        mlirLocationPrint(mlirDiagnosticGetLocation(diagnostic), append, j);
        append_text(j, ": ");
        mlirDiagnosticPrint(diagnostic, append, j);
    }
    return mlirLogicalResultSuccess();
}

static bool fail(job *j, const char *what, LLVMErrorRef error)
{
    note(j->message, j->message_nbytes, what, error);
    j->n = strlen(j->message);
    return false;
}

/* ---------------------------------------------------------------- down to LLVM */

/* Products of whole tiles, if there are any. */
static bool tile_products(MlirContext context, MlirModule module, const char *text)
{
    if (strstr(text, " {tile_") == NULL) return true;
    MlirModule           products = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(STRIA_MLIR_PRODUCTS));
    MlirTransformOptions options = mlirTransformOptionsCreate();
    const MlirOperation  sequence = mlirBlockGetFirstOperation(mlirModuleGetBody(products));
    const MlirLogicalResult result = mlirTransformApplyNamedSequence(mlirModuleGetOperation(module), sequence,
                                                                     mlirModuleGetOperation(products), options);
    mlirTransformOptionsDestroy(options);
    mlirModuleDestroy(products);
    return mlirLogicalResultIsSuccess(result);
}

static bool run_passes(job *j, MlirContext context, MlirModule module)
{
    MlirPassManager passes = mlirPassManagerCreate(context);
    const bool      done =
        mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
            mlirPassManagerGetAsOpPassManager(passes), mlirStringRefCreateFromCString(STRIA_MLIR_PASSES), append, j)) &&
        mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module)));
    mlirPassManagerDestroy(passes);
    return done;
}

static LLVMModuleRef lower(job *j, LLVMContextRef llvm)
{
    MlirContext   context = mlirContextCreateWithRegistry(shared.dialects, false);
    LLVMModuleRef result = NULL;

    mlirRegisterAllLLVMTranslations(context);
    mlirContextAttachDiagnosticHandler(context, keep_first, j, NULL);
    MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreate(j->text, j->nbytes));
    if (!mlirModuleIsNull(module)) {
        if (tile_products(context, module, j->text) && run_passes(j, context, module))
            result = mlirTranslateModuleToLLVMIR(mlirModuleGetOperation(module), llvm);
        mlirModuleDestroy(module);
    }
    mlirContextDestroy(context);
    if (result == NULL && j->n == 0) append_text(j, "MLIR gave no reason");
    return result;
}

/* ---------------------------------------------------------------- machine code */

/* Of LLVM's own, or of the list. */
static bool may_be_called(const char *name)
{
    if (strncmp(name, "llvm.", 5) == 0) return true;
    for (int k = 0; k < N_SYMBOLS; k++)
        if (strcmp(name, symbols[k].name) == 0) return true;
    return false;
}

static bool refuse_function(job *j, const char *what, const char *name)
{
    append_text(j, what);
    append_text(j, name);
    return false;
}

/* Nothing but the entry is called from elsewhere: the rest may be inlined, and left out. */
static bool name_entry(job *j, LLVMModuleRef module, const char *name)
{
    LLVMValueRef entry = LLVMGetNamedFunction(module, j->entry);
    size_t       n;

    if (entry == NULL || LLVMIsDeclaration(entry)) return refuse_function(j, "the text has no function ", j->entry);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        const char *its_name = LLVMGetValueName2(f, &n);
        if (!LLVMIsDeclaration(f) && f != entry) LLVMSetLinkage(f, LLVMInternalLinkage);
        if (LLVMIsDeclaration(f) && !may_be_called(its_name)) return refuse_function(j, "the text calls ", its_name);
    }
    LLVMSetValueName2(entry, name, strlen(name));
    return true;
}

static bool optimise(job *j, LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    LLVMTargetDataRef         layout = LLVMCreateTargetDataLayout(machine);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

    LLVMSetTarget(module, shared.triple);
    LLVMSetModuleDataLayout(module, layout);
    LLVMErrorRef error = LLVMRunPasses(module, "default<O2>", machine, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeTargetData(layout);
    return error == NULL || fail(j, "LLVM's passes", error);
}

static bool emit(job *j, LLVMModuleRef module, LLVMMemoryBufferRef *object)
{
    char                *message = NULL;
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(shared.target, shared.triple, shared.cpu, shared.features, LLVMCodeGenLevelAggressive,
                                LLVMRelocPIC, LLVMCodeModelJITDefault);
    bool done = optimise(j, module, machine);

    if (done && LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, object)) {
        append_text(j, message);
        LLVMDisposeMessage(message);
        done = false;
    }
    LLVMDisposeTargetMachine(machine);
    return done;
}

static bool link_object(job *j, LLVMMemoryBufferRef object, const char *name)
{
    LLVMOrcResourceTrackerRef code = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(shared.linker));
    uint64_t                  address = 0;
    LLVMErrorRef              error = LLVMOrcLLJITAddObjectFileWithRT(shared.linker, code, object);

    if (error == NULL) error = LLVMOrcLLJITLookup(shared.linker, &address, name);
    if (error == NULL) {
        *j->code = code;
        *j->function = (void *)(uintptr_t)address;
        return true;
    }
    fail(j, "linking", error);
    LLVMConsumeError(LLVMOrcResourceTrackerRemove(code));
    LLVMOrcReleaseResourceTracker(code);
    return false;
}

static bool compile_job(job *j)
{
    char                name[32];
    LLVMContextRef      llvm = LLVMContextCreate();
    LLVMModuleRef       module = lower(j, llvm);
    LLVMMemoryBufferRef object = NULL;

    snprintf(name, sizeof name, "stria_%llu", atomic_fetch_add(&shared.n, 1));
    const bool done = module != NULL && name_entry(j, module, name) && emit(j, module, &object);
    if (module != NULL) LLVMDisposeModule(module);
    LLVMContextDispose(llvm);
    return done && link_object(j, object, name);
}

/* ---------------------------------------------------------------- the table */

static void *run_job(void *context)
{
    job *j = context;

    pthread_once(&once, begin);
    if (shared.linker != NULL)
        j->is_done = compile_job(j);
    else
        append_text(j, shared.failure);
    return NULL;
}

static bool compile(const char *text, size_t nbytes, const char *entry, void **code, void **function, char *message,
                    size_t message_nbytes)
{
    job            j = {.text = text,
                        .entry = entry,
                        .nbytes = nbytes,
                        .message = message,
                        .message_nbytes = message_nbytes,
                        .code = code,
                        .function = function};
    pthread_attr_t attributes;
    pthread_t      thread;

    message[0] = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_NBYTES);
    const int failed = pthread_create(&thread, &attributes, run_job, &j);
    pthread_attr_destroy(&attributes);
    if (failed != 0)
        append_text(&j, "no thread to compile on");
    else
        pthread_join(thread, NULL);
    return j.is_done;
}

static void release(void *code)
{
    LLVMConsumeError(LLVMOrcResourceTrackerRemove(code));
    LLVMOrcReleaseResourceTracker(code);
}

extern const stria_mlir_plugin                                 STRIA_MLIR_PLUGIN_TABLE;
__attribute__((visibility("default"))) const stria_mlir_plugin STRIA_MLIR_PLUGIN_TABLE = {
    STRIA_MLIR_PLUGIN_VERSION, "LLVM " STRIA_LLVM_VERSION, compile, release};
