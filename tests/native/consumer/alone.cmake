# alone.cmake - what `make install` builds: the library, no tests, no bindings, no tools.
#
#   cmake -DBUILD=<build folder> -DSOURCE=<source folder> -P alone.cmake
set(work "${BUILD}/consumer_alone")
file(REMOVE_RECURSE "${work}")
execute_process(COMMAND "${CMAKE_COMMAND}" --preset plain -B "${work}" WORKING_DIRECTORY "${SOURCE}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS "${SOURCE}/Makefile" line REGEX "call BUILD,plain")
if(NOT line MATCHES "BUILD,plain,--target (.*)\\)")
  message(FATAL_ERROR "make install builds no chosen targets: ${line}")
endif()
separate_arguments(targets UNIX_COMMAND "${CMAKE_MATCH_1}")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${work}" -- -t commands ${targets}
  OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " -c [^ \n]+" sources "${commands}")
list(LENGTH sources count)
list(FILTER sources EXCLUDE REGEX "/src/(autograd|compile|core|mlir|simd)/")
if(sources OR count LESS 10)
  message(FATAL_ERROR "of ${count} sources these are not the library's: ${sources}")
endif()
if(commands MATCHES "stria_(opdump|tests|napi|bench)")
  message(FATAL_ERROR "make install links ${CMAKE_MATCH_0}")
endif()
message(STATUS "${count} sources, all of the library")
file(REMOVE_RECURSE "${work}")
