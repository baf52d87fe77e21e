# Run at build time: writes <OUT>/<HEADER> and its .cpp with the text of <FILE>. The text is written as bytes, because a
# compiler need not take a string literal of this length.
file(READ ${FILE} hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
string(REGEX REPLACE "(................................................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT}/${HEADER} "// Generated from ${NAME}; do not edit.\n#pragma once\n#include <string_view>\nnamespace eilbote {\nextern const std::string_view ${CONSTANT};\n}\n")
file(WRITE ${OUT}/${HEADER}.cpp "// Generated from ${NAME}; do not edit.\n#include \"${HEADER}\"\nnamespace eilbote {\nnamespace {\nconst char kBytes[] = {\n${bytes}'\\0'};\n}\nconst std::string_view ${CONSTANT}{kBytes, ${size}};\n}\n")
