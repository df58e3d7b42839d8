# run.cmake - a C program against the installed library, both ways that a user has: find_package and pkg-config.
#
#   cmake -DBUILD=<build folder> -DSOURCE=<source folder> -P run.cmake
#
# Installs into a folder inside BUILD, builds examples/c there, runs it and compares what it prints and writes.
set(prefix "${BUILD}/consumer/prefix")
set(work "${BUILD}/consumer/build")
set(input "${SOURCE}/examples/data/iris.npy")
file(REMOVE_RECURSE "${BUILD}/consumer")
file(MAKE_DIRECTORY "${work}")
file(READ "${SOURCE}/examples/expected.txt" expected)

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output_error)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}${output_error}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(check_program what program)
  run("${what}" ${ARGN} "${program}" "${input}" "${work}/${what}.npy")
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${what} printed\n${output}instead of\n${expected}")
  endif()
  file(SHA256 "${work}/${what}.npy" hash)
  message(STATUS "${what}: as expected, result ${hash}")
  set(hash_${what} "${hash}" PARENT_SCOPE)
endfunction()

run("cmake --install" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

# find_package, shared and static
run("configuring the example" "${CMAKE_COMMAND}" -S "${SOURCE}/examples/c" -B "${work}" "-DCMAKE_PREFIX_PATH=${prefix}"
    -DCMAKE_BUILD_TYPE=Release)
run("building the example" "${CMAKE_COMMAND}" --build "${work}")
file(GLOB_RECURSE library "${prefix}/libstria.so" "${prefix}/libstria.dylib")
list(GET library 0 library)
get_filename_component(library "${library}" DIRECTORY)
set(with_library "${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${library}" "DYLD_LIBRARY_PATH=${library}")
check_program(shared "${work}/standardise_shared" ${with_library})
check_program(static "${work}/standardise_static")
if(NOT hash_shared STREQUAL hash_static)
  message(FATAL_ERROR "shared and static library gave other bytes")
endif()

# A file that is not there, one that is cut off: a message and an exit code, no crash
file(WRITE "${work}/cut.npy" "x")
foreach(bad "${work}/missing.npy" "${work}/cut.npy")
  execute_process(COMMAND "${work}/standardise_static" "${bad}" "${work}/none.npy" RESULT_VARIABLE result
    OUTPUT_QUIET ERROR_VARIABLE text)
  if(NOT result EQUAL 1 OR text STREQUAL "")
    message(FATAL_ERROR "${bad}: exit code ${result}, message '${text}'")
  endif()
endforeach()

# pkg-config
find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG)
  message(FATAL_ERROR "pkg-config is needed (toolchains/setup.sh native installs it)")
endif()
set(ENV{PKG_CONFIG_PATH} "${library}/pkgconfig")
run("pkg-config" "${PKG_CONFIG}" --cflags --libs stria)
separate_arguments(flags UNIX_COMMAND "${output}")
find_program(C_COMPILER NAMES cc gcc clang)
run("compiling with pkg-config's flags" "${C_COMPILER}" -std=c11 -Wall -Wextra -Werror
    "${SOURCE}/examples/c/standardise.c" -o "${work}/standardise_pkgconfig" ${flags} -lm)
check_program(pkgconfig "${work}/standardise_pkgconfig" ${with_library})
if(NOT hash_pkgconfig STREQUAL hash_shared)
  message(FATAL_ERROR "the program built with pkg-config wrote other bytes")
endif()

# the plug-in, where it was built, is found beside the library
if(EXISTS "${library}/libstria_mlir.so")
  run("compiling the program with a plug-in" "${C_COMPILER}" -std=c11 -Wall -Wextra -Werror
      "${SOURCE}/tests/native/consumer/compiled.c" -o "${work}/compiled" ${flags} -lm)
  run("a graph as machine code" ${with_library} "${work}/compiled")
  if(NOT output MATCHES "^LLVM [0-9]+\n$")
    message(FATAL_ERROR "the compiled graph printed '${output}'")
  endif()
  message(STATUS "a graph as machine code: ${output}")
endif()
