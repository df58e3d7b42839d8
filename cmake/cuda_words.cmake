# cuda_words.cmake - src/cuda/group.cuh with all that it includes, preprocessed, as a C array: cmake -DIN=.. -DOUT=.. -P. Literals of vectors, which
# NVRTC's C++ lacks, become initializers.
file(READ "${IN}" text)
string(REGEX REPLACE "\\((vec_[a-z0-9_]+)\\){" "\\1{" text "${text}")
string(LENGTH "${text}" n)
set(parts "")
set(at 0)
while(at LESS n) # compilers limit the length of a literal
  string(SUBSTRING "${text}" ${at} 8000 part)
  string(APPEND parts "R\"stria(${part})stria\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE "${OUT}" "static const char group_words[] =\n${parts};\n")
