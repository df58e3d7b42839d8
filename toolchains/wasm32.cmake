# wasm32.cmake - Emscripten's own toolchain file, and Node to run the tests.
execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/emscripten.sh OUTPUT_VARIABLE setting RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT setting MATCHES "^PATH=([^\n]*)")
  message(FATAL_ERROR "no Emscripten: run toolchains/setup.sh wasm")
endif()
set(ENV{PATH} "${CMAKE_MATCH_1}")
execute_process(COMMAND em-config EMSCRIPTEN_ROOT OUTPUT_VARIABLE emscripten OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
include(${emscripten}/cmake/Modules/Platform/Emscripten.cmake)

# Node before version 21 has relaxed SIMD behind a flag
find_program(STRIA_NODE node REQUIRED NO_CMAKE_FIND_ROOT_PATH)
set(CMAKE_CROSSCOMPILING_EMULATOR ${STRIA_NODE})
execute_process(COMMAND ${STRIA_NODE} --version OUTPUT_VARIABLE version)
if(version MATCHES "^v20")
  list(APPEND CMAKE_CROSSCOMPILING_EMULATOR --experimental-wasm-relaxed-simd)
endif()
