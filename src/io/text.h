// Text of single values, as Python and NumPy write them.
#pragma once

#include <string>
#include <string_view>

#include "serrate/visit.h"

namespace serrate::io {

/// Number of code points.
int64_t width(std::string_view utf8);
/// The first n code points.
std::string_view first_columns(std::string_view utf8, int64_t n);
/// Whether the code point of a UTF-8 sequence stands for itself in Python's repr.
bool is_printable(char32_t c);
/// float16 as NumPy's str: "1.1", "2.048e+03".
std::string half_text(uint16_t bits);
/// Item i of a number level as Awkward prints it: "1.23", "True", "2024-02-29", "1+2j".
std::string number_text(const View& v, int64_t i, int precision);

}  // namespace serrate::io
