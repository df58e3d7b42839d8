# javascript.cmake - the two hosts of the flat ABI: the WebAssembly module stria-<variant>.{mjs,wasm} and the Node addon
# stria.node. Both compile the same abi*.c. bindings/js/scripts/build.mjs takes them into the npm package.
set(STRIA_JS ${PROJECT_SOURCE_DIR}/bindings/js)
file(GLOB STRIA_ABI_SOURCES CONFIGURE_DEPENDS ${STRIA_JS}/native/abi*.c)

function(stria_set_js_host target)
  target_link_libraries(${target} PRIVATE stria_flags stria_static)
  target_include_directories(${target} PRIVATE src src/core src/simd ${STRIA_JS}/native)
endfunction()

if(EMSCRIPTEN AND EXISTS ${STRIA_JS}/native/wasm.c)
  # This dispatch.c comes before the archive's and leaves out the scalar table, which no module needs: half the size.
  add_executable(stria_wasm ${STRIA_ABI_SOURCES} ${STRIA_JS}/native/wasm.c src/core/cpu/dispatch.c)
  stria_set_js_host(stria_wasm)
  # what makes code of expressions, and the words of rows for it
  add_library(stria_words OBJECT src/simd/ir.c src/wasm/code.c src/wasm/encode.c src/wasm/program.c)
  stria_set_js_host(stria_words)
  target_compile_definitions(stria_words PRIVATE STRIA_IR_SHORT)
  target_compile_options(stria_words PRIVATE -Oz)
  target_sources(stria_wasm PRIVATE $<TARGET_OBJECTS:stria_words>)
  set_property(SOURCE ${STRIA_JS}/native/wasm.c APPEND PROPERTY COMPILE_OPTIONS ${STRIA_WASM_RELAXED}) # it tells which module it is
  # what every small call runs is quick, the rest short
  foreach(name abi_device abi_files abi_generator abi_gradient abi_graph abi_inspect abi_table wasm)
    set_property(SOURCE ${STRIA_JS}/native/${name}.c APPEND PROPERTY COMPILE_OPTIONS -Oz)
  endforeach()
  list(TRANSFORM STRIA_HAVE REPLACE "^STRIA_HAVE_scalar=1$" "STRIA_HAVE_scalar=0" OUTPUT_VARIABLE STRIA_HAVE_WASM)
  target_compile_definitions(stria_wasm PRIVATE ${STRIA_HAVE_WASM})
  target_link_options(stria_wasm PRIVATE ${STRIA_WASM_MODULE_FLAGS})
  set_target_properties(stria_wasm PROPERTIES
    OUTPUT_NAME stria-${STRIA_WASM_VARIANT} SUFFIX ".mjs" LINK_DEPENDS ${STRIA_WASM_GLUE})
endif()

if(STRIA_BUILD_NAPI AND EXISTS ${STRIA_JS}/native/napi.c)
  set(STRIA_NODE_API_HEADERS ${STRIA_JS}/node_modules/node-api-headers/include)
  if(NOT EXISTS ${STRIA_NODE_API_HEADERS}/node_api.h)
    message(FATAL_ERROR "The npm package node-api-headers is missing: run toolchains/setup.sh node")
  endif()
  add_library(stria_napi MODULE ${STRIA_ABI_SOURCES} ${STRIA_JS}/native/napi.c ${STRIA_JS}/native/napi_share.c
    ${STRIA_JS}/native/napi_wait.c)
  stria_set_js_host(stria_napi)
  target_include_directories(stria_napi SYSTEM PRIVATE ${STRIA_NODE_API_HEADERS})
  if(APPLE)
    target_link_options(stria_napi PRIVATE -undefined dynamic_lookup) # Node itself has them
  else()
    target_link_options(stria_napi PRIVATE -Wl,-z,nodelete) # pool threads must not outlive the code
    target_link_options(stria_napi PRIVATE $<$<CONFIG:Release>:-s>) # it is shipped: without symbols a tenth smaller
  endif()
  set_target_properties(stria_napi PROPERTIES OUTPUT_NAME stria PREFIX "" SUFFIX ".node")
endif()
