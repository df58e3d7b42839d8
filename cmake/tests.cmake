# tests.cmake - the C tests: one program of many suites, the plan of what runs where, and a few programs beside it.
set(STRIA_TESTS ${PROJECT_SOURCE_DIR}/tests/native)
set(STRIA_CROSS ${CMAKE_CROSSCOMPILING})

# These run once for each ISA, forced; one that the machine lacks is skipped and counted. A run on the default one would
# repeat the best of them, so it is left to `make check`. Sanitizers and emulators begin with the default one instead.
set(STRIA_PER_ISA test_arg test_complex_sums test_moment test_norm test_mask test_row test_scan test_matmul test_ops
  test_divide test_reduce test_hash test_cast test_expression test_pixels test_nontemporal test_generator test_random
  test_distributions test_update)
# These begin first, so that none of them is left at the end.
set(STRIA_LONGEST fuzz_iter test_cuda_fold test_cuda_order test_cuda_row test_cuda_words test_fork test_graph_blocks test_graph_sizes test_hash
  test_matmul test_mlir_plugin test_mlir_run test_ops test_reduce test_reductions test_scan test_threads_change)
# What depends on the table of an instruction set: NEON's under emulation, relaxed SIMD's multiply-add.
set(STRIA_WITH_TABLES test_generator test_hash test_matmul test_ops test_parallel)

# What compiles programs with LLVM's: once is enough, and `make check` does without.
set(STRIA_WITH_LLVM test_mlir_run test_mlir_plugin)

# The plan: which tests `make test` runs here. The others have the label "all" and run in `make test-all` only; those with
# the label "check" run in `make check` only.
function(stria_get_plan out name isa)
  set(plan TRUE)
  if(STRIA_SANITIZE AND isa) # the default is the best
    set(plan FALSE)
  elseif(STRIA_SANITIZE STREQUAL "thread")
    if(NOT name IN_LIST STRIA_WITH_THREADS)
      set(plan FALSE)
    endif()
  elseif(STRIA_SANITIZE AND name IN_LIST STRIA_WITH_LLVM)
    set(plan FALSE)
  elseif(EMSCRIPTEN)
    if(isa) # wasm128 is the default; what scalar code computes, native runs have seen
      set(plan FALSE)
    elseif(STRIA_WASM_VARIANT STREQUAL "threads" AND NOT name IN_LIST STRIA_WITH_OWN_THREADS)
      set(plan FALSE)
    elseif(STRIA_WASM_VARIANT STREQUAL "relaxed" AND NOT name IN_LIST STRIA_WITH_TABLES)
      set(plan FALSE)
    endif()
  elseif(STRIA_CROSS AND (isa OR NOT name IN_LIST STRIA_WITH_TABLES)) # the default is NEON
    set(plan FALSE)
  endif()
  set(${out} ${plan} PARENT_SCOPE)
endfunction()

# ---- the test program: every tests/native/test_<name>.c and fuzz_<name>.c is a suite of it and a CTest entry. Exit code 77
# means skipped. It links the static library, so suites reach internal functions; and what is no part of the library: what makes
# WebAssembly of expressions, how CUDA launches are planned, the flat ABI of bindings. The examples of docs/reference are in it, too.
file(GLOB STRIA_TEST_SOURCES CONFIGURE_DEPENDS ${STRIA_TESTS}/*.c src/wasm/*.c src/cuda/*.c bindings/js/native/abi*.c
  examples/reference/*.c)
if(STRIA_CROSS) # its programs are for this machine
  list(FILTER STRIA_TEST_SOURCES EXCLUDE REGEX "/(test_mlir_run|test_mlir_plugin|mlir_cases|test_compiler_page)\\.c$")
endif()
list(FILTER STRIA_TEST_SOURCES EXCLUDE REGEX "/(test_vec|test_gemm|accuracy|accuracy_table)\\.c$")
if(NOT EMSCRIPTEN)
  list(FILTER STRIA_TEST_SOURCES EXCLUDE REGEX "/src/wasm/code\\.c$") # JavaScript compiles
endif()
set(STRIA_SUITES ${STRIA_TEST_SOURCES})
list(FILTER STRIA_SUITES INCLUDE REGEX "/(test|fuzz)_[^/]*$")
list(TRANSFORM STRIA_SUITES REPLACE ".*/([^/]*)\\.c$" "\\1")

# What runs under ThreadSanitizer and on the other ways to have threads (label "threads"): the suites that set a number of
# threads, or make some.
set(STRIA_WITH_THREADS)
# What runs in WebAssembly with threads: suites that make threads themselves, test_parallel and test_hash.
set(STRIA_WITH_OWN_THREADS test_hash test_parallel)
foreach(source IN LISTS STRIA_TEST_SOURCES)
  cmake_path(GET source STEM suite)
  file(STRINGS ${source} uses REGEX "stria_threads_set|pthread_create" LIMIT_COUNT 1)
  # test_describe only tells what would be done, test_fork has labels of its own
  if(uses AND suite IN_LIST STRIA_SUITES AND NOT suite IN_LIST STRIA_WITH_LLVM AND NOT suite MATCHES "^test_(describe|fork)$")
    list(APPEND STRIA_WITH_THREADS ${suite})
    file(STRINGS ${source} makes REGEX "pthread_create" LIMIT_COUNT 1)
    if(makes)
      list(APPEND STRIA_WITH_OWN_THREADS ${suite})
    endif()
  endif()
endforeach()
if(STRIA_SANITIZE STREQUAL "thread") # with a fake plug-in
  list(APPEND STRIA_WITH_THREADS test_mlir_plugin)
  if(TARGET stria_cuda_host)
    foreach(suite IN LISTS STRIA_SUITES) # threads of kernels
      if(suite MATCHES "^(test|fuzz)_cuda" AND NOT suite STREQUAL "test_cuda_plan")
        list(APPEND STRIA_WITH_THREADS ${suite})
      endif()
    endforeach()
  else()
    list(FILTER STRIA_WITH_THREADS EXCLUDE REGEX "^test_cuda_graph") # without a device they have nothing to do
  endif()
  list(REMOVE_DUPLICATES STRIA_WITH_THREADS)
endif()

# What the plan leaves out is not compiled either, unless all is asked for
if(STRIA_TEST_PLAN STREQUAL "short")
  foreach(suite IN LISTS STRIA_SUITES)
    stria_get_plan(plan ${suite} "")
    if(NOT plan)
      list(REMOVE_ITEM STRIA_SUITES ${suite})
      list(FILTER STRIA_TEST_SOURCES EXCLUDE REGEX "/${suite}\\.c$")
    endif()
  endforeach()
  if(NOT "test_reference" IN_LIST STRIA_SUITES)
    list(FILTER STRIA_TEST_SOURCES EXCLUDE REGEX "/examples/reference/")
  endif()
endif()

add_library(stria_test_helpers INTERFACE)
target_link_libraries(stria_test_helpers INTERFACE stria_flags stria_static)
target_include_directories(stria_test_helpers INTERFACE src src/core src/simd src/cuda bindings/js/native tests/native)
set_property(SOURCE ${STRIA_TESTS}/main.c APPEND PROPERTY INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}) # suites.def
if(EMSCRIPTEN)
  target_link_options(stria_test_helpers INTERFACE ${STRIA_WASM_TEST_FLAGS})
endif()
add_executable(stria_tests ${STRIA_TEST_SOURCES})
target_link_libraries(stria_tests PRIVATE stria_test_helpers)
target_compile_options(stria_tests PRIVATE $<$<CONFIG:Release>:-O1>) # in half the time; oracles are few loops

# What a suite may take; emulators are slow, and slower beside other work
set(STRIA_TEST_SECONDS 900)
if(STRIA_CROSS)
  set(STRIA_TEST_SECONDS 3600)
endif()

# Appends to a property of a CTest entry, where there is one of that name
function(stria_set_test name property) # value ..
  if(TEST ${name})
    set_property(TEST ${name} APPEND PROPERTY ${property} ${ARGN})
  endif()
endfunction()

# Adds the CTest entry `name`: the suite, with `arguments` if given.
function(stria_add_test name) # suite [argument ..] [ENVIRONMENT NAME=value ..] [ISA isa]
  cmake_parse_arguments(PARSE_ARGV 1 test "" "ISA" "ENVIRONMENT")
  list(GET test_UNPARSED_ARGUMENTS 0 suite)
  if(test_ISA)
    list(APPEND test_ENVIRONMENT STRIA_FORCE_ISA=${test_ISA})
  endif()
  add_test(NAME ${name} COMMAND stria_tests ${test_UNPARSED_ARGUMENTS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${STRIA_TEST_SECONDS} ENVIRONMENT "${test_ENVIRONMENT}")
  if(suite IN_LIST STRIA_LONGEST)
    set_tests_properties(${name} PROPERTIES COST 10)
  endif()
  stria_get_plan(plan ${suite} "${test_ISA}")
  if(NOT plan)
    set_property(TEST ${name} APPEND PROPERTY LABELS all)
  endif()
endfunction()

foreach(suite IN LISTS STRIA_SUITES)
  if(suite STREQUAL "fuzz_iter") # its model is an entry of its own
    stria_add_test(fuzz_iter fuzz_iter values)
  else()
    stria_add_test(${suite} ${suite})
  endif()
  if(suite IN_LIST STRIA_WITH_THREADS)
    set_property(TEST ${suite} APPEND PROPERTY LABELS threads)
  endif()
  if(suite IN_LIST STRIA_WITH_LLVM)
    set_property(TEST ${suite} APPEND PROPERTY LABELS slow)
  endif()
  if(suite IN_LIST STRIA_PER_ISA AND NOT STRIA_CROSS AND NOT STRIA_SANITIZE AND STRIA_THREADS STREQUAL "pool")
    set_property(TEST ${suite} APPEND PROPERTY LABELS check)
  endif()
  if(suite IN_LIST STRIA_PER_ISA AND (NOT STRIA_CROSS OR suite STREQUAL "test_hash"))
    foreach(isa IN LISTS STRIA_ISAS)
      stria_add_test(${suite}.${isa} ${suite} ISA ${isa})
      set_property(TEST ${suite}.${isa} APPEND PROPERTY LABELS isa)
    endforeach()
  endif()
endforeach()

# DLPack with NumPy: the first Python that has it
if(TARGET stria AND NOT STRIA_CROSS AND NOT STRIA_SANITIZE AND NOT EMSCRIPTEN)
  set(STRIA_NUMPY python3)
  foreach(python python3 /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(result EQUAL 0)
      set(STRIA_NUMPY ${python})
      break()
    endif()
  endforeach()
  add_test(NAME dlpack_numpy COMMAND ${STRIA_NUMPY} ${STRIA_TESTS}/dlpack_numpy.py $<TARGET_FILE:stria>)
  set_tests_properties(dlpack_numpy PROPERTIES SKIP_RETURN_CODE 77)
endif()

# Emulators and sanitizers are slow: every layout, but not with each op, dtype and shape. Relaxed SIMD differs by instructions alone
if(STRIA_SANITIZE OR (STRIA_CROSS AND NOT EMSCRIPTEN) OR (EMSCRIPTEN AND STRIA_WASM_VARIANT STREQUAL "relaxed"))
  set(part 4)
  if(STRIA_TEST_PLAN STREQUAL "short" AND STRIA_CROSS AND NOT EMSCRIPTEN)
    set(part 8)
  endif()
  foreach(name test_ops test_ops.scalar)
    stria_set_test(${name} ENVIRONMENT STRIA_OPS_LAYOUTS=${part})
  endforeach()
endif()
# Sanitizers look for races and bounds, and rows share the loops that have them
if(STRIA_SANITIZE)
  stria_set_test(test_hash ENVIRONMENT STRIA_HASH_PART=8)
endif()
# A part of the rows, others each day, where they take longest: test_ops has the values of all of them under emulation, and simd their bits
if(STRIA_TEST_PLAN STREQUAL "short" AND STRIA_CROSS AND NOT EMSCRIPTEN)
  stria_set_test(test_hash ENVIRONMENT STRIA_HASH_PART=8)
elseif(STRIA_TEST_PLAN STREQUAL "short" AND EMSCRIPTEN AND STRIA_WASM_VARIANT STREQUAL "threads")
  stria_set_test(test_hash ENVIRONMENT STRIA_HASH_PART=2)
endif()
# Under ThreadSanitizer, and in WebAssembly with threads, what computes in one thread has nothing to show: other targets have seen its values
if(STRIA_TEST_PLAN STREQUAL "short" AND (STRIA_SANITIZE STREQUAL "thread" OR (EMSCRIPTEN AND STRIA_WASM_VARIANT STREQUAL "threads")))
  foreach(suite IN LISTS STRIA_SUITES)
    stria_set_test(${suite} ENVIRONMENT STRIA_ONLY_THREADS=1)
  endforeach()
endif()
# That a number of threads changes no bits is seen with the best instruction set natively, and by WebAssembly with threads. All others use
# seven: sanitizers see most with the most
if(NOT STRIA_CROSS AND NOT STRIA_SANITIZE)
  stria_find_best_isa()
endif()
foreach(isa IN LISTS STRIA_ISAS)
  if(NOT isa STREQUAL "${STRIA_BEST_ISA}")
    stria_set_test(test_hash.${isa} ENVIRONMENT STRIA_HASH_THREADS=7)
  endif()
endforeach()
if(STRIA_SANITIZE OR (STRIA_CROSS AND NOT (EMSCRIPTEN AND STRIA_WASM_VARIANT STREQUAL "threads")))
  stria_set_test(test_hash ENVIRONMENT STRIA_HASH_THREADS=7)
endif()

# An instruction set that there is not
if("test_isa" IN_LIST STRIA_SUITES)
  stria_add_test(test_isa.unknown test_isa ISA mmx)
endif()

# Random iterators against the model, which needs a python3: 100,000 of them here, fewer where each costs more
if("fuzz_iter" IN_LIST STRIA_SUITES AND NOT STRIA_SANITIZE STREQUAL "thread") # they are built, and not run
  stria_add_test(fuzz_iter.model fuzz_iter model)
  set_tests_properties(fuzz_iter.model PROPERTIES PROCESSORS 2 COST 20)
  set_property(TEST fuzz_iter.model APPEND PROPERTY LABELS slow)
endif()
stria_set_test(test_fork LABELS slow threads) # hundreds of processes
stria_set_test(test_threads_change LABELS slow) # hundreds of races
stria_set_test(test_cuda_words LABELS slow) # a compiler runs for a dozen modules
if(NOT STRIA_CROSS AND NOT STRIA_SANITIZE)
  set_property(TEST fuzz_iter.model APPEND PROPERTY ENVIRONMENT STRIA_FUZZ_COUNT=100000)
  # A million cases are for the full product
  stria_add_test(fuzz_overlap.million fuzz_overlap ENVIRONMENT STRIA_FUZZ_OVERLAP=1000000)
  set_property(TEST fuzz_overlap.million APPEND PROPERTY LABELS all)
  set_property(TEST fuzz_overlap.million PROPERTY TIMEOUT 3600)
else()
  foreach(name fuzz_iter_bytes fuzz_npy_bytes fuzz_safetensors_bytes)
    stria_set_test(${name} ENVIRONMENT STRIA_FUZZ_COUNT=20000)
  endforeach()
  stria_set_test(fuzz_values ENVIRONMENT STRIA_FUZZ_VALUES=4000)
  stria_set_test(fuzz_overlap ENVIRONMENT STRIA_FUZZ_OVERLAP=1500)
endif()

# Under libFuzzer these are programs of their own. Of the helpers, a library, they take what they use
if(STRIA_FUZZER)
  set(STRIA_FUZZ_HELPERS ${STRIA_TEST_SOURCES})
  list(FILTER STRIA_FUZZ_HELPERS EXCLUDE REGEX "/(main|test_[^/]*|fuzz_[^/]*)\\.c$|examples/")
  add_library(stria_fuzz_helpers STATIC ${STRIA_FUZZ_HELPERS})
  target_link_libraries(stria_fuzz_helpers PUBLIC stria_test_helpers)
  foreach(target fuzz_iter_bytes fuzz_npy_bytes fuzz_safetensors_bytes)
    add_executable(${target} ${STRIA_TESTS}/${target}.c)
    target_link_libraries(${target} PRIVATE stria_fuzz_helpers)
    target_compile_definitions(${target} PRIVATE STRIA_LIBFUZZER)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()

# Suites of the CUDA plug-in open it, or the one on the host runtime
foreach(plugin stria_cuda stria_cuda_host)
  if(TARGET ${plugin})
    foreach(suite IN LISTS STRIA_SUITES)
      if(suite MATCHES "^(test|fuzz)_cuda")
        set_property(TEST ${suite} APPEND PROPERTY ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:${plugin}>)
        if(STRIA_SANITIZE) # what is wrong in a kernel shows in most cases of it; which ones run is drawn
          set(cases 8)
          if(STRIA_SANITIZE STREQUAL "thread")
            set(cases 16)
          endif()
          set_property(TEST ${suite} APPEND PROPERTY ENVIRONMENT STRIA_CUDA_CASES=${cases})
        endif()
      endif()
    endforeach()
    add_dependencies(stria_tests ${plugin})
  endif()
endforeach()
if(TARGET stria_cuda_host AND NOT STRIA_SANITIZE AND TEST fuzz_cuda)
  stria_add_test(fuzz_cuda.thousands fuzz_cuda ENVIRONMENT STRIA_FUZZ_CUDA=20000 STRIA_FUZZ_SEED=2
    STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_cuda_host>)
  set_property(TEST fuzz_cuda.thousands APPEND PROPERTY LABELS all)
endif()
# Texts of groups are compiled by the compiler of the host, in the suite that asks for it
if(TARGET stria_cuda_host AND TEST test_cuda_words)
  string(JOIN " " compiler ${CMAKE_CXX_COMPILER} -std=c++17 -O1 -w -fPIC -shared -ffp-contract=off -fno-math-errno -DSTRIA_CUDA_HOST
    -I${PROJECT_SOURCE_DIR}/tests/cuda_host/group -I${PROJECT_SOURCE_DIR}/src/cuda -I${PROJECT_SOURCE_DIR}/src/simd
    -I${PROJECT_SOURCE_DIR}/src/core -I${PROJECT_SOURCE_DIR}/src)
  set_property(TEST test_cuda_words APPEND PROPERTY ENVIRONMENT "STRIA_CUDA_HOST_COMPILER=${compiler}")
  if(NOT STRIA_SANITIZE)
    set_property(TEST test_cuda_graph_faults APPEND PROPERTY ENVIRONMENT "STRIA_CUDA_HOST_COMPILER=${compiler}")
    stria_add_test(test_cuda_words.all test_cuda_words 1)
    stria_add_test(test_cuda_graph.compiled test_cuda_graph 60)
    set_property(TEST test_cuda_words.all test_cuda_graph.compiled APPEND PROPERTY LABELS all)
    set_property(TEST test_cuda_words.all test_cuda_graph.compiled PROPERTY ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_cuda_host>
      "STRIA_CUDA_HOST_COMPILER=${compiler}")
  endif()
  if(TARGET stria_nvrtc_check) # and by NVRTC first: some of them here, all in the full product
    add_dependencies(stria_tests stria_nvrtc_check)
    stria_add_test(test_cuda_words.nvrtc test_cuda_words 100)
    stria_add_test(test_cuda_words.nvrtc_all test_cuda_words 1)
    set_property(TEST test_cuda_words.nvrtc_all APPEND PROPERTY LABELS all)
    set_property(TEST test_cuda_words.nvrtc test_cuda_words.nvrtc_all APPEND PROPERTY LABELS slow)
    set_property(TEST test_cuda_words.nvrtc test_cuda_words.nvrtc_all PROPERTY ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_cuda_host>
      "STRIA_CUDA_HOST_COMPILER=$<TARGET_FILE:stria_nvrtc_check> 80,90 ${compiler}")
  endif()
endif()
# Losing the device while a graph is captured is a process of its own
if(TARGET stria_cuda_host AND TEST test_cuda_graph_faults)
  stria_add_test(test_cuda_graph_faults.lost test_cuda_graph_faults lost ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_cuda_host>)
endif()
if(TARGET stria_cuda_host_kernels)
  set_property(TEST test_cuda_host APPEND PROPERTY ENVIRONMENT STRIA_CUDA_HOST_KERNELS=$<TARGET_FILE:stria_cuda_host_kernels>)
  add_dependencies(stria_tests stria_cuda_host_kernels)
  if(NOT STRIA_SANITIZE)
    stria_add_test(test_cuda_host.thousands test_cuda_host 1000)
    set_property(TEST test_cuda_host.thousands APPEND PROPERTY LABELS all)
    set_property(TEST test_cuda_host.thousands PROPERTY ENVIRONMENT STRIA_CUDA_HOST_KERNELS=$<TARGET_FILE:stria_cuda_host_kernels>)
  endif()
endif()

# Why there are no CUDA devices
if(NOT STRIA_CROSS)
  function(stria_add_absent_cuda name words) # [setting of the host runtime] ENVIRONMENT NAME=value ..
    stria_add_test(test_cuda_device.${name} test_cuda_device ${words} ${ARGN})
  endfunction()
  foreach(fake VERSION ROWS DEVICE)
    string(TOLOWER stria_fake_cuda_${fake} target)
    add_library(${target} MODULE ${STRIA_TESTS}/plugins/fake_cuda.c)
    target_link_libraries(${target} PRIVATE stria_flags)
    target_include_directories(${target} PRIVATE src src/core src/cuda)
    target_compile_definitions(${target} PRIVATE FAKE_${fake})
    add_dependencies(stria_tests ${target})
  endforeach()
  stria_add_absent_cuda(missing "the plug-in does not load" ENVIRONMENT STRIA_CUDA_PLUGIN=/nowhere/libstria_cuda.so)
  stria_add_absent_cuda(version "a plug-in of version 1, this library takes version" ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_fake_cuda_version>)
  stria_add_absent_cuda(rows "was built with other rows than this library" ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_fake_cuda_rows>)
  stria_add_absent_cuda(fork fork ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_fake_cuda_device> STRIA_FAKE_CUDA_MS=700)
  stria_add_absent_cuda(device "there is no device cuda:0: nobody is at home" ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_fake_cuda_device>)
  if(TARGET stria_cuda_host)
    set(plugin ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_cuda_host>)
    stria_add_absent_cuda(no_driver "cuda:0: no NVIDIA driver is installed" driver=0 ${plugin})
    stria_add_absent_cuda(old_driver "cuda:0: the NVIDIA driver is too old: it has CUDA 11.8, the plug-in needs 13.0" driver=11080 ${plugin})
    stria_add_absent_cuda(no_device "cuda:0: the NVIDIA driver finds no device" devices=0 ${plugin})
  endif()
endif()

# The plug-in of MLIR, and what is none of this library's; where the former is not built, most of the suite is skipped
if(NOT STRIA_CROSS)
  foreach(fake VERSION TABLE OTHER)
    string(TOLOWER stria_fake_${fake} target)
    add_library(${target} MODULE ${STRIA_TESTS}/plugins/fake_mlir.c)
    target_link_libraries(${target} PRIVATE stria_flags)
    target_include_directories(${target} PRIVATE src src/core)
    target_compile_definitions(${target} PRIVATE FAKE_${fake})
    stria_set_test(test_mlir_plugin ENVIRONMENT STRIA_FAKE_${fake}=$<TARGET_FILE:${target}>)
    add_dependencies(stria_tests ${target})
  endforeach()
  stria_add_absent_cuda(symbol "has no stria_cuda_plugin_get" ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_fake_version>)
endif()
if(TARGET stria_mlir)
  if(NOT STRIA_SANITIZE)
    stria_add_test(test_mlir_plugin.thousands test_mlir_plugin ENVIRONMENT STRIA_MLIR_PROGRAMS=10000)
    set_property(TEST test_mlir_plugin.thousands APPEND PROPERTY LABELS all)
    set_property(TEST test_mlir_plugin.thousands PROPERTY TIMEOUT 3600)
  endif()
  stria_set_test(test_mlir_plugin ENVIRONMENT STRIA_MLIR_PLUGIN=$<TARGET_FILE:stria_mlir>)
  add_dependencies(stria_tests stria_mlir)
endif()

# The vocabulary, and the loops of matrix products: a suite for each ISA
function(stria_add_isa_suite source isa suffix) # compiler option ..
  stria_get_plan(plan ${source}_${suffix} "")
  if(NOT plan AND STRIA_TEST_PLAN STREQUAL "short")
    return()
  endif()
  add_library(${source}_${suffix} OBJECT ${STRIA_TESTS}/${source}.c)
  target_link_libraries(${source}_${suffix} PRIVATE stria_test_helpers)
  target_compile_definitions(${source}_${suffix} PRIVATE STRIA_ISA=${isa} SUITE_NAME=${source}_${suffix})
  target_compile_options(${source}_${suffix} PRIVATE ${ARGN} ${STRIA_SIMD_UNCHECKED} ${STRIA_WASM_RELAXED})
  target_sources(stria_tests PRIVATE $<TARGET_OBJECTS:${source}_${suffix}>)
  stria_add_test(${source}_${suffix} ${source}_${suffix})
  set(STRIA_SUITES ${STRIA_SUITES} ${source}_${suffix} PARENT_SCOPE)
endfunction()
find_path(STRIA_SIMDE simde/x86/avx512.h NO_CMAKE_FIND_ROOT_PATH)
foreach(name test_vec test_gemm)
  foreach(isa IN LISTS STRIA_ISAS)
    list(APPEND STRIA_WITH_TABLES ${name}_${isa})
    stria_add_isa_suite(${name} ${isa} ${isa} ${STRIA_ISA_FLAGS_${isa}})
  endforeach()
  # AVX-512's on SIMDe's portable intrinsics, where the machine has no AVX-512
  if(STRIA_SIMDE AND "avx512" IN_LIST STRIA_ISAS AND NOT STRIA_SANITIZE AND
      (STRIA_TEST_PLAN STREQUAL "full" OR NOT STRIA_BEST_ISA STREQUAL "avx512"))
    stria_add_isa_suite(${name} avx512 avx512_simde -mavx2 -mfma -DSTRIA_USE_SIMDE -isystem ${STRIA_SIMDE})
  endif()
endforeach()

list(TRANSFORM STRIA_SUITES REPLACE "(.+)" "SUITE_ROW(\\1)\n" OUTPUT_VARIABLE STRIA_SUITE_ROWS)
list(JOIN STRIA_SUITE_ROWS "" STRIA_SUITE_ROWS)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/suites.def CONTENT "${STRIA_SUITE_ROWS}" @ONLY)

if(STRIA_CROSS OR STRIA_SANITIZE)
  return()
endif()

function(stria_add_test_program target source)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE stria_test_helpers)
  add_test(NAME ${target} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${target} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
endfunction()

# Accuracy of the transcendental functions against MPFR
find_library(STRIA_MPFR mpfr)
find_library(STRIA_GMP gmp)
if(STRIA_MPFR AND STRIA_GMP AND EXISTS ${STRIA_TESTS}/accuracy.c)
  stria_add_test_program(accuracy ${STRIA_TESTS}/accuracy.c)
  target_sources(accuracy PRIVATE ${STRIA_TESTS}/accuracy_table.c)
  target_link_libraries(accuracy PRIVATE ${STRIA_MPFR} ${STRIA_GMP} m)
  set_tests_properties(accuracy PROPERTIES LABELS slow COST 10)
endif()

# The library exports stria_* and nothing else, each SIMD object its table alone
add_test(NAME symbols COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:stria>
  "-DISAS=${STRIA_ISAS}" "-DLANES=${STRIA_LANE_TYPES}" -DBUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/check_symbols.cmake)
# Headers are included from the same floor or from below
add_test(NAME floors COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/check_floors.cmake)
# Programs against the installed tree: tests/native/consumer, examples/c
foreach(consumer tests/native/consumer examples/c)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${consumer}/run.cmake)
    string(REPLACE "tests/native/" "" name ${consumer})
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
      -P ${PROJECT_SOURCE_DIR}/${consumer}/run.cmake)
    set_tests_properties(${name} PROPERTIES LABELS slow) # it configures and builds
  endif()
endforeach()
add_test(NAME install_alone COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
  -P ${STRIA_TESTS}/consumer/alone.cmake)

# The examples that learn, and one that saves a program. They return 1 where they have not done what they should.
foreach(example linear digits characters program gpu)
  stria_add_test_program(example_${example} ${PROJECT_SOURCE_DIR}/examples/c/${example}.c)
endforeach()
if(TARGET stria_cuda_host AND NOT STRIA_SANITIZE)
  add_test(NAME example_gpu.cuda COMMAND example_gpu)
  set_tests_properties(example_gpu.cuda PROPERTIES PASS_REGULAR_EXPRESSION "^on cuda:0: .*\n.* is 0\\.295"
    ENVIRONMENT STRIA_CUDA_PLUGIN=$<TARGET_FILE:stria_cuda_host>)
endif()

# The C blocks of docs/writing_a_kernel.md, in their order, are a program.
set(STRIA_GUIDE ${PROJECT_SOURCE_DIR}/docs/writing_a_kernel.md)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/guide.c
  COMMAND awk "/^```/ { inside = $0 == \"```c\"; next } inside" ${STRIA_GUIDE} > ${PROJECT_BINARY_DIR}/guide.c
  DEPENDS ${STRIA_GUIDE}
  VERBATIM)
stria_add_test_program(guide ${PROJECT_BINARY_DIR}/guide.c)
