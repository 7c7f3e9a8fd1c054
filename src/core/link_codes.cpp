// Code of functions by name: see link_codes.h.
#include "core/link_codes.h"

#include <mutex>
#include <stdexcept>
#include <unordered_map>

namespace serrate {

namespace {

constexpr std::string_view kLine = "// linked with ";

struct Kept {
  std::mutex mutex;
  std::unordered_map<std::string, std::string> codes;
};
Kept& kept() {
  static auto* k = new Kept;
  return *k;
}

}  // namespace

void keep_link_code(const std::string& name, const std::string& code) {
  Kept& k = kept();
  const std::lock_guard hold(k.mutex);
  k.codes.try_emplace(name, code);
}

std::string link_line(std::string_view name) {
  return std::string(kLine).append(name).append("\n");
}

std::vector<LinkCode> link_codes(std::string_view text) {
  std::vector<LinkCode> out;
  Kept& k = kept();
  const std::lock_guard hold(k.mutex);
  for (size_t at = 0; (at = text.find(kLine, at)) != std::string_view::npos;) {
    at += kLine.size();
    const std::string name(text.substr(at, text.find('\n', at) - at));
    const auto found = k.codes.find(name);
    if (found == k.codes.end()) throw std::runtime_error("cuda: no code of the function " + name);
    out.push_back({name, found->second});
  }
  return out;
}

}  // namespace serrate
