// Seams and assertions: see seams.h.
#include "core/seams.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "serrate/error.h"

namespace serrate {
namespace {

struct Row {
  std::string_view name;
  int64_t Seams::*value;
  int64_t normal, smallest;
};

constexpr Row kRows[] = {
#define SEAM(name, value, smallest, what) {#name, &Seams::name, value, smallest},
#include "core/seams.def"
#undef SEAM
};

int64_t legal(const Row& row, int64_t value) {
  const int64_t step = std::max<int64_t>(row.smallest, 1);
  return std::clamp((value + step - 1) / step * step, row.smallest, row.normal);
}

int64_t number(std::string_view text) {
  int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  check<ValueError>(error == std::errc() && end == text.data() + text.size() && n >= 0,
                    "SERRATE_SEAMS: expected min, a number or name=number, got \"{}\"", text);
  return n;
}

void set(Seams& seams, std::string_view name, int64_t value) {
  std::string names;
  for (const Row& row : kRows) {
    if (row.name == name) return void(seams.*row.value = legal(row, value));
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw ValueError(fmt::format("SERRATE_SEAMS: there is no seam \"{}\", but {}", name, names));
}

}  // namespace

Seams read_seams(const std::string& text) {
  Seams out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    if (const size_t equals = one.find('='); equals != std::string_view::npos) {
      set(out, one.substr(0, equals), number(one.substr(equals + 1)));
      continue;
    }
    const int64_t most = one == "min" ? 0 : number(one);
    for (const Row& row : kRows) out.*row.value = legal(row, most);
  }
  return out;
}

const Seams& seams() {
  static const Seams of_process = [] {
    const char* e = std::getenv("SERRATE_SEAMS");
    return read_seams(e != nullptr ? e : "");
  }();
  return of_process;
}

bool asserting() {
  static const bool is_set = [] {
    const char* e = std::getenv("SERRATE_ASSERT");
    return e != nullptr && *e != 0 && *e != '0';
  }();
  return is_set;
}

}  // namespace serrate
