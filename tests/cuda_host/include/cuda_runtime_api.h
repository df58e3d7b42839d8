/* cuda_runtime_api.h - see cuda_runtime.h, which has it all. */
#include "cuda_runtime.h"
