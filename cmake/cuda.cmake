# cuda.cmake - libstria_cuda, the plug-in that the library opens at run time where a driver and a device are.
file(GLOB STRIA_CUDA_SOURCES CONFIGURE_DEPENDS src/cuda/*.cu)
if(NOT STRIA_BUILD_CUDA OR NOT STRIA_CUDA_SOURCES)
  return()
endif()
find_program(STRIA_NVCC nvcc HINTS /usr/local/cuda/bin)
if(NOT STRIA_NVCC)
  if(NOT STRIA_BUILD_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "STRIA_BUILD_CUDA is on, but nvcc is neither on PATH nor in /usr/local/cuda/bin")
  endif()
  return()
endif()
set(CMAKE_CUDA_COMPILER ${STRIA_NVCC})
set(STRIA_CUDA_ARCHITECTURES "80-real;90" CACHE STRING # 90: code and PTX, which newer devices compile
  "what nvcc compiles for; 80-virtual is PTX alone, a tenth of the work, which devices compile when they load it")
set(CMAKE_CUDA_ARCHITECTURES ${STRIA_CUDA_ARCHITECTURES})
enable_language(CXX)
set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
enable_language(CUDA)

file(GLOB STRIA_CUDA_HOST_SOURCES CONFIGURE_DEPENDS src/cuda/*.c)
add_library(stria_cuda MODULE ${STRIA_CUDA_SOURCES} ${STRIA_CUDA_HOST_SOURCES})
set_target_properties(stria_cuda PROPERTIES
  PREFIX "lib" CUDA_STANDARD 17 CUDA_VISIBILITY_PRESET hidden CUDA_RUNTIME_LIBRARY Static)
target_include_directories(stria_cuda PRIVATE src src/core src/simd src/cuda)
target_link_libraries(stria_cuda PRIVATE stria_flags)

# the words of groups, for NVRTC
file(GLOB words CONFIGURE_DEPENDS src/cuda/*.h src/cuda/*.cuh src/cuda/words/*.h src/simd/*.h src/core/stria_enums.h src/core/table/*.def)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/stria_cuda/group_words.inc
  COMMAND ${CMAKE_CXX_COMPILER} -E -P -x c++ -std=c++17 -nostdinc -D__CUDACC__ -I${PROJECT_SOURCE_DIR}/src/cuda/words
    -I${PROJECT_SOURCE_DIR}/src/cuda -I${PROJECT_SOURCE_DIR}/src/simd -I${PROJECT_SOURCE_DIR}/src/core -I${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/src/cuda/group.cuh -o ${PROJECT_BINARY_DIR}/stria_cuda/group_words.txt
  COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_BINARY_DIR}/stria_cuda/group_words.txt
    -DOUT=${PROJECT_BINARY_DIR}/stria_cuda/group_words.inc -P ${PROJECT_SOURCE_DIR}/cmake/cuda_words.cmake
  DEPENDS ${words} ${PROJECT_SOURCE_DIR}/cmake/cuda_words.cmake VERBATIM)
target_sources(stria_cuda PRIVATE ${PROJECT_BINARY_DIR}/stria_cuda/group_words.inc)
target_include_directories(stria_cuda PRIVATE ${PROJECT_BINARY_DIR}/stria_cuda)
target_link_options(stria_cuda PRIVATE -Wl,--exclude-libs,ALL)
target_compile_options(stria_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false -t2 -Werror=all-warnings>)
install(TARGETS stria_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cuda)
