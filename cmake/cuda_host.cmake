# cuda_host.cmake - the CUDA plug-in on the host runtime of tests/cuda_host, which needs no GPU: libstria_cuda_host, a test
# dependency. Its sources are those of src/cuda, compiled as C++17.
#
# On Linux on x86-64, where a C++ compiler is; where the real plug-in is built, the tests take that.
if(NOT STRIA_BUILD_CUDA_HOST OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT STRIA_PROCESSOR STREQUAL "x86_64" OR CMAKE_CROSSCOMPILING OR STRIA_FUZZER OR TARGET stria_cuda)
  return()
endif()
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(STATUS "no C++ compiler: the CUDA plug-in is not tested on the host runtime")
  return()
endif()
enable_language(CXX)
set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})

include(cmake/group_words.cmake)
set(STRIA_CUDA_HOST ${PROJECT_SOURCE_DIR}/tests/cuda_host)
add_library(stria_cuda_host_flags INTERFACE)
target_compile_features(stria_cuda_host_flags INTERFACE cxx_std_17)
target_compile_definitions(stria_cuda_host_flags INTERFACE STRIA_CUDA_HOST)
target_include_directories(stria_cuda_host_flags INTERFACE ${STRIA_CUDA_HOST}/include)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(cut_text "-Wno-format-truncation;") # means to cut it
endif()
target_compile_options(stria_cuda_host_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror;-Wno-psabi;-Wno-type-limits;-Wno-unknown-pragmas;${cut_text}-ffp-contract=off;-fno-math-errno;-fvisibility=hidden;-fvisibility-inlines-hidden>)
if(STRIA_SANITIZE)
  target_compile_options(stria_cuda_host_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-g1>)
endif()
if(STRIA_SANITIZE MATCHES "undefined") # the program that opens the module is C
  target_compile_options(stria_cuda_host_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr,function>)
endif()

# the runtime, which is not instrumented for ThreadSanitizer; of its sources, those that switch between threads are not for
# AddressSanitizer and UndefinedBehaviorSanitizer either
file(GLOB sources CONFIGURE_DEPENDS ${STRIA_CUDA_HOST}/*.cpp)
add_library(stria_cuda_host_runtime OBJECT ${sources})
target_link_libraries(stria_cuda_host_runtime PRIVATE stria_cuda_host_flags)
target_compile_options(stria_cuda_host_runtime PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O2>)
if(STRIA_SANITIZE STREQUAL "thread")
  target_compile_options(stria_cuda_host_runtime PRIVATE -fno-sanitize=thread)
  target_compile_definitions(stria_cuda_host_runtime PRIVATE CUDA_HOST_TSAN=1)
elseif(STRIA_SANITIZE MATCHES "address")
  set_property(SOURCE ${STRIA_CUDA_HOST}/grid.cpp ${STRIA_CUDA_HOST}/fibre.cpp APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=${STRIA_SANITIZE})
  target_compile_definitions(stria_cuda_host_runtime PRIVATE CUDA_HOST_ASAN=1)
endif()

# Under sanitizers optimised kernels take four times as long to compile; elsewhere those of the most ops take longer than their suites
set(STRIA_CUDA_HOST_KERNEL_LEVEL -O1)
set(STRIA_CUDA_HOST_PLAIN element reduce statistic)
if(STRIA_SANITIZE)
  set(STRIA_CUDA_HOST_KERNEL_LEVEL -O0)
endif()

# Adds a module of CUDA sources and the runtime.
function(stria_add_cuda_host target) # source ..
  set(wrapped "")
  foreach(source IN LISTS ARGN)
    if(source MATCHES "\\.cu$") # a source has one language, and this one's is CUDA elsewhere
      get_filename_component(name ${source} NAME_WE)
      file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${source}) # the same in every clone: ccache's objects are
      file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${target}/${name}.cpp 
        CONTENT "#include <cuda_runtime.h> /* as nvcc does */\n#include \"${place}\"\n" @ONLY)
      set(source ${PROJECT_BINARY_DIR}/${target}/${name}.cpp)
      if(name IN_LIST STRIA_CUDA_HOST_PLAIN)
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -O0)
      endif()
    endif()
    list(APPEND wrapped ${source})
  endforeach()
  add_library(${target} MODULE ${wrapped} $<TARGET_OBJECTS:stria_cuda_host_runtime>)
  target_link_libraries(${target} PRIVATE stria_flags stria_cuda_host_flags -pthread ${CMAKE_DL_LIBS} m)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} src src/core src/simd src/cuda)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${STRIA_CUDA_HOST_KERNEL_LEVEL}>)
  target_link_options(${target} PRIVATE -Wl,-z,nodelete) # it handles signals
endfunction()

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cuda/*.cu ${PROJECT_SOURCE_DIR}/src/cuda/*.c ${STRIA_CUDA_HOST}/libraries/*.cu)
list(FILTER sources EXCLUDE REGEX "/src/cuda/(code|cublas|primitives|nvrtc)\\.cu$") # libraries/ has them without NVIDIA's libraries
stria_add_cuda_host(stria_cuda_host ${sources})
if(STRIA_SANITIZE MATCHES "address")
  target_compile_options(stria_cuda_host PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=undefined;SHELL:-mllvm -asan-instrumentation-with-call-threshold=0>)
endif()

# what test_cuda_host runs on it
file(GLOB sources CONFIGURE_DEPENDS ${STRIA_CUDA_HOST}/kernels/*.cu)
stria_add_cuda_host(stria_cuda_host_kernels ${sources})

# what puts the texts of groups through NVRTC, which needs no GPU
find_path(STRIA_NVRTC_INCLUDE nvrtc.h HINTS /usr/local/cuda/include)
find_library(STRIA_NVRTC nvrtc HINTS /usr/local/cuda/lib64)
if(STRIA_NVRTC_INCLUDE AND STRIA_NVRTC AND NOT STRIA_SANITIZE)
  add_executable(stria_nvrtc_check EXCLUDE_FROM_ALL ${STRIA_CUDA_HOST}/nvrtc/check.cpp)
  target_link_libraries(stria_nvrtc_check PRIVATE stria_flags stria_cuda_host_flags -pthread ${CMAKE_DL_LIBS})
  target_include_directories(stria_nvrtc_check PRIVATE ${PROJECT_SOURCE_DIR} src src/core src/simd src/cuda)
  target_include_directories(stria_nvrtc_check SYSTEM PRIVATE ${STRIA_NVRTC_INCLUDE})
  target_compile_definitions(stria_nvrtc_check PRIVATE "NVRTC_FILE=\"${STRIA_NVRTC}\"")
  target_compile_options(stria_nvrtc_check PRIVATE -O1)
  stria_add_group_words(stria_nvrtc_check)
endif()
