# mlir.cmake - libstria_mlir, the plug-in that compiles graphs in the process, where Debian's libmlir-19-dev is. It stands on MLIR's and
# LLVM's C interfaces; of the latter's headers it needs none (src/mlir/llvm_c.h).
if(STRIA_BUILD_MLIR STREQUAL "OFF" OR STRIA_SANITIZE STREQUAL "thread" OR CMAKE_CROSSCOMPILING)
  return()
endif()
set(STRIA_LLVM_VERSION 19)
set(root /usr/lib/llvm-${STRIA_LLVM_VERSION})
find_path(STRIA_MLIR_INCLUDE mlir-c/RegisterEverything.h HINTS ${root}/include NO_DEFAULT_PATH)
find_library(STRIA_MLIR_LIBRARY MLIR HINTS ${root}/lib NO_DEFAULT_PATH)
find_library(STRIA_LLVM_LIBRARY LLVM-${STRIA_LLVM_VERSION})
if(NOT STRIA_MLIR_INCLUDE OR NOT STRIA_MLIR_LIBRARY OR NOT STRIA_LLVM_LIBRARY)
  if(NOT STRIA_BUILD_MLIR STREQUAL "AUTO")
    message(FATAL_ERROR "STRIA_BUILD_MLIR is on, but MLIR ${STRIA_LLVM_VERSION} (Debian's libmlir-19-dev) is not in ${root}")
  endif()
  return()
endif()

# passes.txt as a pipeline, products.mlir as a string
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/mlir/passes.txt src/mlir/products.mlir)
file(STRINGS src/mlir/passes.txt passes)
list(JOIN passes "," passes)
file(READ src/mlir/products.mlir products)
string(REPLACE "\\" "\\\\" products "${products}")
string(REPLACE "\"" "\\\"" products "${products}")
string(REPLACE "\n" "\\n\"\n\"" products "${products}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/mlir/mlir_texts.h @ONLY
  CONTENT "#define STRIA_MLIR_PASSES \"@passes@\"\nstatic const char STRIA_MLIR_PRODUCTS[] =\n\"@products@\";\n")

add_library(stria_mlir MODULE src/mlir/plugin.c)
target_include_directories(stria_mlir PRIVATE src ${PROJECT_BINARY_DIR}/mlir)
target_include_directories(stria_mlir SYSTEM PRIVATE ${STRIA_MLIR_INCLUDE})
target_compile_definitions(stria_mlir PRIVATE STRIA_LLVM_VERSION="${STRIA_LLVM_VERSION}")
get_filename_component(root ${STRIA_MLIR_LIBRARY} DIRECTORY)
set(interfaces RegisterEverything TransformDialectTransforms Target Conversion IR)
list(TRANSFORM interfaces REPLACE "(.+)" "${root}/libMLIRCAPI\\1.a")
target_link_libraries(stria_mlir PRIVATE stria_flags ${interfaces} ${STRIA_MLIR_LIBRARY} ${STRIA_LLVM_LIBRARY}
  -l:libstdc++.so.6 -pthread m)
# LLVM does not end before the process does
target_link_options(stria_mlir PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,nodelete)
set_target_properties(stria_mlir PROPERTIES BUILD_RPATH ${root} INSTALL_RPATH ${root})
add_dependencies(stria_libraries stria_mlir)
install(TARGETS stria_mlir LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL) # who builds some targets installs those
