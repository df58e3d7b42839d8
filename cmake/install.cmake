# install.cmake - cmake --install: headers, both libraries, find_package(stria), pkg-config.
if(EMSCRIPTEN)
  return()
endif()
set(STRIA_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/stria)
install(FILES src/core/stria.h src/core/stria_enums.h src/core/stria_functions.h src/core/stria_safetensors.h src/core/stria_autograd.h
  src/core/stria_graph.h src/core/stria_mlir.h src/core/stria_dlpack.h src/core/iter.h
  DESTINATION ${STRIA_INCLUDE_DIR})
install(FILES src/core/base/status.def DESTINATION ${STRIA_INCLUDE_DIR}/base)
install(FILES src/core/table/ops.def src/core/table/functions.def src/core/table/dtypes.def src/core/table/devices.def
  DESTINATION ${STRIA_INCLUDE_DIR}/table)
install(TARGETS stria stria_static EXPORT striaTargets INCLUDES DESTINATION ${STRIA_INCLUDE_DIR})

# what `make install` builds: plug-ins join it
add_custom_target(stria_libraries DEPENDS stria stria_static)

set(STRIA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/stria)
install(EXPORT striaTargets NAMESPACE stria:: DESTINATION ${STRIA_CMAKE_DIR})
configure_package_config_file(cmake/striaConfig.cmake.in striaConfig.cmake INSTALL_DESTINATION ${STRIA_CMAKE_DIR})
write_basic_package_version_file(striaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/striaConfig.cmake ${PROJECT_BINARY_DIR}/striaConfigVersion.cmake
  DESTINATION ${STRIA_CMAKE_DIR})

# pkg-config: relative to the .pc file, so the tree may be moved
file(RELATIVE_PATH STRIA_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(STRIA_PC_PRIVATE "")
foreach(library IN LISTS STRIA_SYSTEM_LIBRARIES)
  if(NOT library MATCHES "^-")
    string(PREPEND library "-l")
  endif()
  string(APPEND STRIA_PC_PRIVATE " ${library}")
endforeach()
configure_file(cmake/stria.pc.in stria.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stria.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
