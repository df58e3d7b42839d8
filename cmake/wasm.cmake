# wasm.cmake - every flag of the WebAssembly builds.
set(STRIA_WASM_VARIANT "simd" CACHE STRING "Features of the module: simd, threads (and simd), relaxed (SIMD, threads)")
set_property(CACHE STRIA_WASM_VARIANT PROPERTY STRINGS simd threads relaxed)

set(STRIA_WASM_FEATURES -msimd128)
if(NOT STRIA_WASM_VARIANT STREQUAL "simd")
  list(APPEND STRIA_WASM_FEATURES -pthread)
endif()
# Relaxed operations stand in lanes of f32 and f64, products, and their tests alone: other objects are those of the module with threads,
# which ccache keeps.
if(STRIA_WASM_VARIANT STREQUAL "relaxed")
  set(STRIA_WASM_RELAXED -mrelaxed-simd)
endif()
add_compile_options(${STRIA_WASM_FEATURES})
add_link_options(${STRIA_WASM_FEATURES} ${STRIA_WASM_RELAXED})

# emcc is a Python program that calls clang: here clang compiles at once, with the options that emcc says, to the same object.
execute_process(COMMAND ${CMAKE_C_COMPILER} --cflags ${STRIA_WASM_FEATURES} OUTPUT_VARIABLE options RESULT_VARIABLE status
  OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND em-config LLVM_ROOT OUTPUT_VARIABLE llvm OUTPUT_STRIP_TRAILING_WHITESPACE)
if(status EQUAL 0 AND EXISTS ${llvm}/clang)
  set(CMAKE_C_COMPILE_OBJECT "${llvm}/clang ${options} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>")
endif()

# The module of the npm package. No dynamic execution: a page needs 'wasm-unsafe-eval' only. Its JavaScript looks for no file
# and imports nothing: bindings/js/native/glue.js says who does.
# -O2, because -O3 would shorten the names of exports, which bindings/js/src/backend_wasm.ts reads. -Oz alone once more, for the page that
# downloads it: locals get the same numbers in like functions (330 kB become 317, brotli, at the same speed). Data stays one piece, zeros and
# all, which brotli shortens better than the heads of pieces (3 kB), and whole numbers of 64 bits need no functions that split them (1 kB,
# JavaScript included)
set(STRIA_WASM_GLUE ${PROJECT_SOURCE_DIR}/bindings/js/native/glue.js)
set(STRIA_WASM_MODULE_FLAGS
  -O2 --no-entry -sBINARYEN_EXTRA_PASSES=-Oz,--skip-pass=memory-packing -sWASM_BIGINT=1
  -sMODULARIZE=1 -sEXPORT_ES6=1 -sUSE_ES6_IMPORT_META=0 -sENVIRONMENT=web,worker -sSTRICT=1 -sFILESYSTEM=0 -sASSERTIONS=0
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sALLOW_TABLE_GROWTH=1 -sSTACK_SIZE=1MB -sDYNAMIC_EXECUTION=0
  "SHELL:--pre-js ${STRIA_WASM_GLUE}"
  -sINCOMING_MODULE_JS_API=instantiateWasm
  -sEXPORTED_RUNTIME_METHODS=wasmMemory,wasmExports)
# C tests: files and environment of the Node process that runs them
set(STRIA_WASM_TEST_FLAGS -O1
  -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sALLOW_TABLE_GROWTH=1 -sINITIAL_MEMORY=64MB -sSTACK_SIZE=4MB
  -sENVIRONMENT=node,worker
  "SHELL:--pre-js ${PROJECT_SOURCE_DIR}/cmake/wasm_test_environment.js")
if(NOT STRIA_WASM_VARIANT STREQUAL "simd")
  list(APPEND STRIA_WASM_MODULE_FLAGS
    -sPTHREAD_POOL_SIZE=Module.striaWorkers -sDEFAULT_PTHREAD_STACK_SIZE=1MB -Wno-pthreads-mem-growth)
  list(APPEND STRIA_WASM_TEST_FLAGS -sDEFAULT_PTHREAD_STACK_SIZE=1MB -sPTHREAD_POOL_SIZE=8 -Wno-pthreads-mem-growth)
endif()

# ---- A page downloads the module: code is short, but for what small calls and loops over elements run (29 kB less, brotli). Loops unroll where
# their source says so: most loops over vectors gain nothing from more; conversions of integers do.
set(STRIA_WASM_SAID_LOOPS "SHELL:-mllvm -unroll-runtime=false")
function(stria_set_wasm_core target)
  target_compile_options(${target} PRIVATE -Oz ${STRIA_WASM_SAID_LOOPS})
  # what calls of a few elements run, and the loops that need it
  set(quick compile/run)
  foreach(name backend call check meta outputs promote views)
    list(APPEND quick core/call/${name})
  endforeach()
  foreach(name device layout list shape storage tensor)
    list(APPEND quick core/tensor/${name})
  endforeach()
  foreach(name iter iter_config iter_cursor iter_dims iter_element iter_outputs iter_overlap iter_reduce iter_run)
    list(APPEND quick core/iter/${name})
  endforeach()
  foreach(name axis_rows backend_cpu copy_cpu create dispatch element exec exec_block expression_run fold histc keys matmul
      matmul_run reduce sort_items)
    list(APPEND quick core/cpu/${name})
  endforeach()
  foreach(name alloc parallel scratch)
    list(APPEND quick core/base/${name})
  endforeach()
  foreach(name gradient node record record_node rule slot walk walk_queue walk_sum)
    list(APPEND quick autograd/${name})
  endforeach()
  # other loops over elements
  set(loops core/base/generator)
  foreach(name arg bincount complex cummax gather index_plan logcumsumexp logsumexp mask matmul_pack matmul_vector moment nontemporal nonzero norm
      row row_backward scan scatter_loops scatter_rows search short_rows unique update)
    list(APPEND loops core/cpu/${name})
  endforeach()
  foreach(name IN LISTS quick loops)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${name}.c)
      message(FATAL_ERROR "cmake/wasm.cmake: there is no src/${name}.c")
    endif()
  endforeach()
  list(TRANSFORM quick REPLACE "(.+)" "src/\\1.c")
  list(TRANSFORM loops REPLACE "(.+)" "src/\\1.c")
  set_property(SOURCE ${quick} APPEND PROPERTY COMPILE_OPTIONS -O2)
  set_property(SOURCE ${loops} APPEND PROPERTY COMPILE_OPTIONS -Os)
endfunction()
