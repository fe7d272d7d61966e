# cmake -DIN=file -DOUT=header -DFUNCTION=name -P text_header.cmake
# Writes a C/C++ header with `static const char* FUNCTION(void)` that returns the text of a file.
file(READ ${IN} text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
file(WRITE ${OUT} "/* Made by cmake/text_header.cmake. */\n#pragma once\n\nstatic inline const char* ${FUNCTION}(void) {\n  return\n    \"${text}\";\n}\n")
