/* types.h - the types and constants of the CUDA runtime, with its names and numbers, as far as stria uses them. */
#ifndef CUDA_HOST_TYPES_H
#define CUDA_HOST_TYPES_H

#include <stddef.h>
#include <stdint.h>

#define CUDART_VERSION 13000

typedef enum cudaError {
#define CUDA_HOST_ERROR(name, number, text) name = number,
#include "errors.def"
#undef CUDA_HOST_ERROR
} cudaError_t;

/* ---- vectors, aligned as on the device */
#define CUDA_HOST_VECTORS(type, word, align2, align4) \
    struct word##1 { type x; };                       \
    struct alignas(align2) word##2 { type x, y; };    \
    struct word##3 { type x, y, z; };                 \
    struct alignas(align4) word##4 { type x, y, z, w; };
CUDA_HOST_VECTORS(signed char, char, 2, 4)
CUDA_HOST_VECTORS(unsigned char, uchar, 2, 4)
CUDA_HOST_VECTORS(short, short, 4, 8)
CUDA_HOST_VECTORS(unsigned short, ushort, 4, 8)
CUDA_HOST_VECTORS(int, int, 8, 16)
CUDA_HOST_VECTORS(unsigned, uint, 8, 16)
CUDA_HOST_VECTORS(long long, longlong, 16, 16)
CUDA_HOST_VECTORS(unsigned long long, ulonglong, 16, 16)
CUDA_HOST_VECTORS(float, float, 8, 16)
CUDA_HOST_VECTORS(double, double, 16, 16)
#undef CUDA_HOST_VECTORS

#define CUDA_HOST_MAKERS(type, word)                                                   \
    static inline word##2 make_##word##2(type x, type y) { return {x, y}; }            \
    static inline word##3 make_##word##3(type x, type y, type z) { return {x, y, z}; } \
    static inline word##4 make_##word##4(type x, type y, type z, type w) { return {x, y, z, w}; }
CUDA_HOST_MAKERS(int, int)
CUDA_HOST_MAKERS(unsigned, uint)
CUDA_HOST_MAKERS(long long, longlong)
CUDA_HOST_MAKERS(unsigned long long, ulonglong)
CUDA_HOST_MAKERS(float, float)
CUDA_HOST_MAKERS(double, double)
#undef CUDA_HOST_MAKERS

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

/* ---- handles */
typedef struct CUstream_st        *cudaStream_t;
typedef struct CUevent_st         *cudaEvent_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUgraph_st         *cudaGraph_t;
typedef struct CUgraphExec_st     *cudaGraphExec_t;
typedef struct CUgraphNode_st     *cudaGraphNode_t;
typedef void (*cudaHostFn_t)(void *user);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *user);
#define cudaStreamLegacy ((cudaStream_t)0x1)

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventRecordDefault 0x00
#define cudaEventWaitDefault 0x00
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
} cudaMemcpyKind;

typedef enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
} cudaMemoryType;

typedef struct cudaPointerAttributes {
    cudaMemoryType type;
    int            device;
    void          *devicePointer, *hostPointer;
} cudaPointerAttributes;

/* ---- pools */
typedef enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
} cudaMemPoolAttr;

typedef enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid = 0,
    cudaMemAllocationTypePinned = 1
} cudaMemAllocationType;
typedef enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0 } cudaMemAllocationHandleType;
typedef enum cudaMemLocationType { cudaMemLocationTypeInvalid = 0, cudaMemLocationTypeDevice = 1 } cudaMemLocationType;
typedef struct cudaMemLocation {
    cudaMemLocationType type;
    int                 id;
} cudaMemLocation;
typedef enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone = 0,
    cudaMemAccessFlagsProtRead = 1,
    cudaMemAccessFlagsProtReadWrite = 3
} cudaMemAccessFlags;
typedef struct cudaMemAccessDesc {
    cudaMemLocation    location;
    cudaMemAccessFlags flags;
} cudaMemAccessDesc;
typedef struct cudaMemPoolProps {
    cudaMemAllocationType       allocType;
    cudaMemAllocationHandleType handleTypes;
    cudaMemLocation             location;
    void                       *win32SecurityAttributes;
    size_t                      maxSize;
    unsigned short              usage;
    unsigned char               reserved[54];
} cudaMemPoolProps;

/* ---- devices */
typedef struct cudaDeviceProp {
    char   name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem;
    int    regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock;
    int    maxThreadsDim[3], maxGridSize[3];
    int    major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    int    l2CacheSize, memoryBusWidth, asyncEngineCount, concurrentKernels, unifiedAddressing, managedMemory;
    int    memoryPoolsSupported, canMapHostMemory, integrated, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
} cudaDeviceProp;

typedef enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMemoryPoolsSupported = 115
} cudaDeviceAttr;

/* ---- launches */
typedef enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
} cudaFuncAttribute;
typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeCooperative = 2
} cudaLaunchAttributeID;
typedef union cudaLaunchAttributeValue {
    char pad[64];
    int  cooperative;
} cudaLaunchAttributeValue;
typedef struct cudaLaunchAttribute {
    cudaLaunchAttributeID    id;
    char                     pad[8 - sizeof(cudaLaunchAttributeID)];
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct cudaLaunchConfig_t {
    dim3                 gridDim, blockDim;
    size_t               dynamicSmemBytes;
    cudaStream_t         stream;
    cudaLaunchAttribute *attrs;
    unsigned             numAttrs;
} cudaLaunchConfig_t;

typedef enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
} cudaStreamCaptureMode;
typedef enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
} cudaStreamCaptureStatus;

#endif
