# tests.cmake - every tests/native/test_<name>.c is a program and a CTest entry, and so is fuzz_<name>.c. Exit code 77
# means skipped. The programs link the static library, so they reach internal functions.
set(STRIA_TESTS ${PROJECT_SOURCE_DIR}/tests/native)
set(STRIA_CROSS ${CMAKE_CROSSCOMPILING})

# These run once more per ISA; one that the machine lacks is skipped and counted. Where tests are slow, that is instead of
# the run on the best one.
set(STRIA_PER_ISA test_arg test_moment test_norm test_mask test_row test_scan test_matmul test_ops test_divide test_reduce
  test_hash test_cast test_vec test_expression test_stream)

# What the programs share, and what is no part of the library: the rows as tapes (ir.c), how CUDA launches are planned.
file(GLOB STRIA_TEST_HELPERS CONFIGURE_DEPENDS ${STRIA_TESTS}/*.c src/simd/ir*.c src/cuda/*.c)
list(FILTER STRIA_TEST_HELPERS EXCLUDE REGEX "/(test_|fuzz_|accuracy)[^/]*$")
add_library(stria_test_helpers INTERFACE)
if(STRIA_TEST_HELPERS)
  add_library(stria_test_objects STATIC ${STRIA_TEST_HELPERS})
  target_link_libraries(stria_test_objects PRIVATE stria_flags PUBLIC stria_static)
  target_include_directories(stria_test_objects PRIVATE src/core src/simd src/cuda tests/native)
  target_link_libraries(stria_test_helpers INTERFACE stria_test_objects)
endif()
target_link_libraries(stria_test_helpers INTERFACE stria_static)
target_include_directories(stria_test_helpers INTERFACE src/core src/simd src/cuda tests/native)
target_compile_definitions(stria_test_helpers INTERFACE STRIA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
foreach(isa IN LISTS STRIA_ISAS)
  target_compile_definitions(stria_test_helpers INTERFACE STRIA_HAVE_${isa})
endforeach()
if(EMSCRIPTEN)
  target_link_options(stria_test_helpers INTERFACE ${STRIA_WASM_TEST_FLAGS})
endif()

function(stria_add_test_program target source)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE stria_flags stria_test_helpers)
endfunction()

function(stria_add_test name target) # environment ..
  add_test(NAME ${name} COMMAND ${target} ${STRIA_TEST_ARGUMENTS_${target}} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 ENVIRONMENT "${ARGN}")
endfunction()

set(STRIA_TEST_ARGUMENTS_fuzz_iter values) # its other part is a test of its own, below
file(GLOB STRIA_TEST_SOURCES CONFIGURE_DEPENDS ${STRIA_TESTS}/test_*.c ${STRIA_TESTS}/fuzz_*.c)
list(REMOVE_ITEM STRIA_TEST_SOURCES ${STRIA_TESTS}/test_vec.c ${STRIA_TESTS}/test_gemm.c)
foreach(source IN LISTS STRIA_TEST_SOURCES)
  get_filename_component(name ${source} NAME_WE)
  stria_add_test_program(${name} ${source})
  # under emulation the forced runs are left to test_hash, which compares bits
  set(forced FALSE)
  if(name IN_LIST STRIA_PER_ISA AND (NOT STRIA_CROSS OR name STREQUAL "test_hash"))
    set(forced TRUE)
  endif()
  if(NOT forced OR NOT (STRIA_CROSS OR STRIA_SANITIZE))
    stria_add_test(${name} ${name})
  endif()
  if(forced)
    foreach(isa IN LISTS STRIA_ISAS)
      stria_add_test(${name}.${isa} ${name} STRIA_FORCE_ISA=${isa})
      set_tests_properties(${name}.${isa} PROPERTIES LABELS isa)
    endforeach()
  endif()
endforeach()

# Under libFuzzer these have its main
if(STRIA_FUZZER)
  foreach(target fuzz_iter_bytes fuzz_npy_bytes)
    target_compile_definitions(${target} PRIVATE STRIA_LIBFUZZER)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()

# Random iterators against the model, which needs a python3: 100,000 of them here, fewer where each costs more
add_test(NAME fuzz_iter.model COMMAND fuzz_iter model WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(fuzz_iter.model PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 PROCESSORS 2)
if(NOT STRIA_CROSS AND NOT STRIA_SANITIZE)
  set_property(TEST fuzz_iter.model PROPERTY ENVIRONMENT STRIA_FUZZ_COUNT=100000)
else()
  set_property(TEST fuzz_iter_bytes fuzz_npy_bytes PROPERTY ENVIRONMENT STRIA_FUZZ_COUNT=20000)
  set_property(TEST fuzz_values PROPERTY ENVIRONMENT STRIA_FUZZ_VALUES=4000)
endif()

if(TARGET stria_cuda AND TARGET test_cuda)
  set_tests_properties(test_cuda PROPERTIES ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_cuda>)
  add_dependencies(test_cuda stria_cuda)
endif()

# The vocabulary, and the loops of matrix products: compiled once per ISA
function(stria_add_isa_test name isa suffix) # compiler option ..
  stria_add_test_program(${name}_${suffix} ${STRIA_TESTS}/${name}.c)
  target_compile_definitions(${name}_${suffix} PRIVATE STRIA_ISA=${isa} STRIA_ISA_${isa})
  target_compile_options(${name}_${suffix} PRIVATE ${ARGN})
endfunction()
find_path(STRIA_SIMDE simde/x86/avx512.h NO_CMAKE_FIND_ROOT_PATH)
foreach(name test_vec test_gemm)
  foreach(isa IN LISTS STRIA_ISAS)
    stria_add_isa_test(${name} ${isa} ${isa} ${STRIA_ISA_FLAGS_${isa}})
    stria_add_test(${name}.${isa} ${name}_${isa})
  endforeach()
  # AVX-512's on SIMDe's portable intrinsics, for machines without AVX-512
  if(STRIA_SIMDE AND "avx512" IN_LIST STRIA_ISAS AND NOT STRIA_SANITIZE)
    stria_add_isa_test(${name} avx512 avx512_simde -mavx2 -mfma -DSTRIA_USE_SIMDE -isystem ${STRIA_SIMDE})
    stria_add_test(${name}.avx512-simde ${name}_avx512_simde)
  endif()
endforeach()

if(STRIA_CROSS OR STRIA_SANITIZE)
  return()
endif()

# Accuracy of the transcendental functions against MPFR
find_library(STRIA_MPFR mpfr)
find_library(STRIA_GMP gmp)
if(STRIA_MPFR AND STRIA_GMP AND EXISTS ${STRIA_TESTS}/accuracy.c)
  stria_add_test_program(accuracy ${STRIA_TESTS}/accuracy.c)
  target_link_libraries(accuracy PRIVATE ${STRIA_MPFR} ${STRIA_GMP} m)
  stria_add_test(accuracy accuracy)
  set_tests_properties(accuracy PROPERTIES LABELS slow)
endif()

# The library exports stria_* and nothing else, each SIMD object its table alone
add_test(NAME symbols COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:stria>
  "-DISAS=${STRIA_ISAS}" -DBUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/check_symbols.cmake)
# Programs against the installed tree: tests/native/consumer, examples/c
foreach(consumer tests/native/consumer examples/c)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${consumer}/run.cmake)
    string(REPLACE "tests/native/" "" name ${consumer})
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
      -P ${PROJECT_SOURCE_DIR}/${consumer}/run.cmake)
  endif()
endforeach()

# The C blocks of docs/writing_a_kernel.md, in their order, are a program.
set(STRIA_GUIDE ${PROJECT_SOURCE_DIR}/docs/writing_a_kernel.md)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/guide.c
  COMMAND awk "/^```/ { inside = $0 == \"```c\"; next } inside" ${STRIA_GUIDE} > ${PROJECT_BINARY_DIR}/guide.c
  DEPENDS ${STRIA_GUIDE}
  VERBATIM)
stria_add_test_program(guide ${PROJECT_BINARY_DIR}/guide.c)
stria_add_test(guide guide)
