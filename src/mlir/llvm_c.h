/* llvm_c.h - what plugin.c calls of LLVM's C interface.
 *
 * Debian's package of its headers takes ten times the room of what is needed otherwise. The interface keeps its names and types from version
 * to version; what is not there fails to link. */
#ifndef STRIA_LLVM_C_H
#define STRIA_LLVM_C_H

#include <stddef.h>
#include <stdint.h>

#include "mlir-c/IR.h"

typedef int                                        LLVMBool;
typedef struct LLVMOpaqueContext                  *LLVMContextRef;
typedef struct LLVMOpaqueModule                   *LLVMModuleRef;
typedef struct LLVMOpaqueValue                    *LLVMValueRef;
typedef struct LLVMOpaqueMemoryBuffer             *LLVMMemoryBufferRef;
typedef struct LLVMOpaqueError                    *LLVMErrorRef;
typedef struct LLVMTarget                         *LLVMTargetRef;
typedef struct LLVMOpaqueTargetMachine            *LLVMTargetMachineRef;
typedef struct LLVMOpaqueTargetData               *LLVMTargetDataRef;
typedef struct LLVMOpaquePassBuilderOptions       *LLVMPassBuilderOptionsRef;
typedef struct LLVMOrcOpaqueLLJIT                 *LLVMOrcLLJITRef;
typedef struct LLVMOrcOpaqueLLJITBuilder          *LLVMOrcLLJITBuilderRef;
typedef struct LLVMOrcOpaqueJITDylib              *LLVMOrcJITDylibRef;
typedef struct LLVMOrcOpaqueResourceTracker       *LLVMOrcResourceTrackerRef;
typedef struct LLVMOrcOpaqueMaterializationUnit   *LLVMOrcMaterializationUnitRef;
typedef struct LLVMOrcOpaqueSymbolStringPoolEntry *LLVMOrcSymbolStringPoolEntryRef;

typedef struct {
    uint64_t Address;
    struct {
        uint8_t GenericFlags, TargetFlags;
    } Flags;
} LLVMJITEvaluatedSymbol;
typedef struct {
    LLVMOrcSymbolStringPoolEntryRef Name;
    LLVMJITEvaluatedSymbol          Sym;
} LLVMOrcCSymbolMapPair;

enum { LLVMInternalLinkage = 8 };        /* LLVMLinkage */
enum { LLVMCodeGenLevelAggressive = 3 }; /* LLVMCodeGenOptLevel */
enum { LLVMRelocPIC = 2 };               /* LLVMRelocMode */
enum { LLVMCodeModelJITDefault = 1 };    /* LLVMCodeModel */
enum { LLVMObjectFile = 1 };             /* LLVMCodeGenFileType */
enum { LLVMJITSymbolGenericFlagsExported = 1, LLVMJITSymbolGenericFlagsCallable = 4 };

/* ---------------------------------------------------------------- modules */

LLVMContextRef LLVMContextCreate(void);
void           LLVMContextDispose(LLVMContextRef);
LLVMModuleRef  mlirTranslateModuleToLLVMIR(MlirOperation, LLVMContextRef);
void           LLVMDisposeModule(LLVMModuleRef);
LLVMValueRef   LLVMGetFirstFunction(LLVMModuleRef);
LLVMValueRef   LLVMGetNextFunction(LLVMValueRef);
LLVMBool       LLVMIsDeclaration(LLVMValueRef);
void           LLVMSetLinkage(LLVMValueRef, int);
LLVMValueRef   LLVMGetNamedFunction(LLVMModuleRef, const char *);
const char    *LLVMGetValueName2(LLVMValueRef, size_t *);
void           LLVMSetValueName2(LLVMValueRef, const char *, size_t);
void           LLVMSetTarget(LLVMModuleRef, const char *);
void           LLVMSetModuleDataLayout(LLVMModuleRef, LLVMTargetDataRef);
void           LLVMDisposeMessage(char *);
void           LLVMGetVersion(unsigned *, unsigned *, unsigned *);

/* ---------------------------------------------------------------- machine code */

void LLVMInitializeX86TargetInfo(void), LLVMInitializeX86Target(void), LLVMInitializeX86TargetMC(void),
    LLVMInitializeX86AsmPrinter(void);
void LLVMInitializeAArch64TargetInfo(void), LLVMInitializeAArch64Target(void), LLVMInitializeAArch64TargetMC(void),
    LLVMInitializeAArch64AsmPrinter(void);
char                *LLVMGetDefaultTargetTriple(void);
char                *LLVMGetHostCPUName(void);
char                *LLVMGetHostCPUFeatures(void);
LLVMBool             LLVMGetTargetFromTriple(const char *, LLVMTargetRef *, char **);
LLVMTargetMachineRef LLVMCreateTargetMachine(LLVMTargetRef, const char *triple, const char *cpu, const char *features,
                                             int level, int relocation, int model);
void                 LLVMDisposeTargetMachine(LLVMTargetMachineRef);
LLVMTargetDataRef    LLVMCreateTargetDataLayout(LLVMTargetMachineRef);
void                 LLVMDisposeTargetData(LLVMTargetDataRef);
LLVMBool LLVMTargetMachineEmitToMemoryBuffer(LLVMTargetMachineRef, LLVMModuleRef, int, char **, LLVMMemoryBufferRef *);

LLVMPassBuilderOptionsRef LLVMCreatePassBuilderOptions(void);
void                      LLVMDisposePassBuilderOptions(LLVMPassBuilderOptionsRef);
LLVMErrorRef              LLVMRunPasses(LLVMModuleRef, const char *, LLVMTargetMachineRef, LLVMPassBuilderOptionsRef);
char                     *LLVMGetErrorMessage(LLVMErrorRef);
void                      LLVMDisposeErrorMessage(char *);
void                      LLVMConsumeError(LLVMErrorRef);

/* ---------------------------------------------------------------- code in this process */

typedef struct LLVMOrcOpaqueExecutionSession *LLVMOrcExecutionSessionRef;
typedef void                                  LLVMOrcErrorReporterFunction(void *, LLVMErrorRef);
LLVMOrcExecutionSessionRef                    LLVMOrcLLJITGetExecutionSession(LLVMOrcLLJITRef);
void LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcExecutionSessionRef, LLVMOrcErrorReporterFunction *, void *);
LLVMErrorRef                    LLVMOrcCreateLLJIT(LLVMOrcLLJITRef *, LLVMOrcLLJITBuilderRef);
LLVMOrcJITDylibRef              LLVMOrcLLJITGetMainJITDylib(LLVMOrcLLJITRef);
LLVMOrcSymbolStringPoolEntryRef LLVMOrcLLJITMangleAndIntern(LLVMOrcLLJITRef, const char *);
LLVMOrcMaterializationUnitRef   LLVMOrcAbsoluteSymbols(LLVMOrcCSymbolMapPair *, size_t);
LLVMErrorRef                    LLVMOrcJITDylibDefine(LLVMOrcJITDylibRef, LLVMOrcMaterializationUnitRef);
LLVMOrcResourceTrackerRef       LLVMOrcJITDylibCreateResourceTracker(LLVMOrcJITDylibRef);
LLVMErrorRef                    LLVMOrcResourceTrackerRemove(LLVMOrcResourceTrackerRef);
void                            LLVMOrcReleaseResourceTracker(LLVMOrcResourceTrackerRef);
LLVMErrorRef LLVMOrcLLJITAddObjectFileWithRT(LLVMOrcLLJITRef, LLVMOrcResourceTrackerRef, LLVMMemoryBufferRef);
LLVMErrorRef LLVMOrcLLJITLookup(LLVMOrcLLJITRef, uint64_t *, const char *);

#endif
