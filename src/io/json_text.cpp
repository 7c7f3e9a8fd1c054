// All values of an array as JSON.
#include <fmt/format.h>

#include <cmath>

#include "io/text.h"
#include "serrate/io.h"

namespace serrate {
namespace {

struct JsonMaker {
  using Value = std::string;
  using List = std::string;
  using Record = std::string;

  List begin_list(int64_t) { return "["; }
  void set(List& l, int64_t i, const Value& v) {
    if (i) l += ", ";
    l += v;
  }
  Value end_list(List l) { return l + "]"; }
  Record begin_record(const View& v, int64_t) { return v.kind == ViewKind::tuple ? "[" : "{"; }
  void field(Record& r, const View& v, size_t k, const Value& x) {
    if (k) r += ", ";
    if (v.kind == ViewKind::record) r += json_quote(v.names[k]) + ": ";
    r += x;
  }
  Value end_record(Record r, const View& v) { return r + (v.kind == ViewKind::tuple ? "]" : "}"); }
  Value none() { return "null"; }
  Value boolean(bool x) { return x ? "true" : "false"; }
  Value integer(int64_t x) { return fmt::format("{}", x); }
  Value unsigned_integer(uint64_t x) { return fmt::format("{}", x); }
  Value real(double x) {
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
    std::string text = fmt::format("{}", x);
    if (text.find_first_of(".e") == text.npos) text += ".0";
    return text;
  }
  Value complex(double re, double im) { return "[" + real(re) + ", " + real(im) + "]"; }
  Value datetime(int64_t x, const View& v) { return json_quote(datetime_text(x, v.unit)); }
  Value timedelta(int64_t x, const View& v) { return json_quote(timedelta_text(x, v.unit)); }
  Value string(std::string_view s) { return json_quote(s); }
  Value bytestring(std::string_view s) {
    std::string latin1;
    for (const char c : s) {
      const auto b = static_cast<unsigned char>(c);
      if (b < 0x80) {
        latin1 += c;
      } else {
        latin1 += static_cast<char>(0xc0 | b >> 6);
        latin1 += static_cast<char>(0x80 | (b & 0x3f));
      }
    }
    return json_quote(latin1);
  }
};

}  // namespace

std::string to_string(const Array& x) {
  JsonMaker m;
  return make(view(x), m);
}

}  // namespace serrate
