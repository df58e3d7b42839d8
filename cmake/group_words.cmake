# group_words.cmake - the words of groups, as src/cuda/nvrtc.cu has them for NVRTC: group_words.inc, made of group.cuh and all that it includes.
function(stria_add_group_words target)
  set(folder ${PROJECT_BINARY_DIR}/${target}_words)
  file(GLOB words CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cuda/*.h ${PROJECT_SOURCE_DIR}/src/cuda/*.cuh ${PROJECT_SOURCE_DIR}/src/cuda/words/*.h
    ${PROJECT_SOURCE_DIR}/src/simd/*.h ${PROJECT_SOURCE_DIR}/src/core/stria_enums.h ${PROJECT_SOURCE_DIR}/src/core/table/*.def)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/group_words.inc
    COMMAND ${CMAKE_CXX_COMPILER} -E -P -x c++ -std=c++17 -nostdinc -D__CUDACC__ -I${PROJECT_SOURCE_DIR}/src/cuda/words
      -I${PROJECT_SOURCE_DIR}/src/cuda -I${PROJECT_SOURCE_DIR}/src/simd -I${PROJECT_SOURCE_DIR}/src/core -I${PROJECT_SOURCE_DIR}/src
      ${PROJECT_SOURCE_DIR}/src/cuda/group.cuh -o ${folder}/group_words.txt
    COMMAND ${CMAKE_COMMAND} -DIN=${folder}/group_words.txt -DOUT=${folder}/group_words.inc -P ${PROJECT_SOURCE_DIR}/cmake/cuda_words.cmake
    DEPENDS ${words} ${PROJECT_SOURCE_DIR}/cmake/cuda_words.cmake VERBATIM)
  target_sources(${target} PRIVATE ${folder}/group_words.inc)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
