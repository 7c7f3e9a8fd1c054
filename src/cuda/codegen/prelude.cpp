// The sections of the prelude, and which of them stand for a name.
#include "cuda/codegen/prelude.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace serrate::cuda {
namespace {

using Names = std::set<std::string_view>;

constexpr std::string_view kTypes[] = {"complex", "time64"};

struct Section {
  std::string_view text;
  Names declares, uses;
  bool scalar;  // in namespace sr
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Calls f for all identifiers, numbers and single other characters, outside of comments.
template <class F>
void each_token(std::string_view text, F f) {
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    while (i < text.size() && is_word(text[i])) i++;
    if (i > begin)
      f(text.substr(begin, i - begin));
    else if (text.substr(i, 2) == "//")
      i = std::min(text.find('\n', i), text.size());
    else if (text[i++] > ' ')
      f(text.substr(begin, 1));
  }
}

Names words(std::string_view text) {
  Names found;
  each_token(text, [&](std::string_view token) {
    if (is_word(token[0])) found.insert(token);
  });
  return found;
}

// The names that a section declares outside of all brackets: functions ("name("), variables
// ("name ="), types ("struct name", "... name;") and macros.
Names declared(std::string_view text) {
  Names found;
  int depth = 0;
  bool initialiser = false;
  std::string_view before, last;
  each_token(text, [&](std::string_view token) {
    const char c = token[0];
    const bool follows = depth == 0 && !initialiser && (c == '(' || c == '=' || c == ';');
    if (!last.empty() && is_word(last[0]) && (follows || before == "define" || before == "struct"))
      found.insert(last);
    depth += c == '{' || c == '(' ? 1 : c == '}' || c == ')' ? -1 : 0;
    if (depth == 0 && (c == '=' || c == ';')) initialiser = c == '=';
    before = last;
    last = token;
  });
  return found;
}

std::vector<Section> make_sections() {
  std::vector<Section> sections;
  for (const auto& file : prelude_files()) {
    const bool scalar = file.name == "scalar_math.h" || file.name == "real.h";
    for (std::string_view rest = file.text; !rest.empty();) {
      const size_t end = std::min(rest.find("\n\n"), rest.size());
      const std::string_view text = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 2, rest.size()));
      Section s{text, declared(text), words(text), scalar};
      s.declares.erase("SERRATE_FN");  // print's business
      sections.push_back(std::move(s));
    }
  }
  return sections;
}

const std::vector<Section>& sections() {
  static const auto& all = *new std::vector<Section>(make_sections());
  return all;
}

template <class Which>
Names names_of(Which which) {
  Names all;
  for (const Section& s : sections()) {
    if (which(s)) all.insert(s.declares.begin(), s.declares.end());
  }
  return all;
}

void print(std::string& out, const std::vector<const Section*>& chosen) {
  if (chosen.empty()) return;
  out += "#define SERRATE_FN __device__ inline\n";
  bool inside = false;
  for (const Section* s : chosen) {
    if (s->scalar != inside) out += inside ? "}  // namespace sr\n" : "namespace sr {\n";
    inside = s->scalar;
    out.append(s->text) += '\n';
  }
  if (inside) out += "}  // namespace sr\n";
}

}  // namespace

bool in_prelude(std::string_view name) {
  static const Names& names = *new Names(names_of([](const Section&) { return true; }));
  return names.contains(name);
}

bool in_namespace(std::string_view function) {
  static const Names& names = *new Names(names_of([](const Section& s) { return s.scalar; }));
  return names.contains(function);
}

void append_prelude(std::string& out, std::span<const std::string_view> names) {
  Names needed(names.begin(), names.end());
  std::vector<const Section*> chosen;
  // What a section needs stands before it.
  for (size_t i = sections().size(); i-- > 0;) {
    const Section& s = sections()[i];
    // Functions of complex numbers and times have the names of those of real ones.
    const bool has_types = std::ranges::all_of(
        kTypes, [&](auto type) { return !s.uses.contains(type) || needed.contains(type); });
    const bool use = has_types && std::ranges::any_of(
                                      s.declares, [&](auto name) { return needed.contains(name); });
    if (!use) continue;
    needed.insert(s.uses.begin(), s.uses.end());
    chosen.push_back(&s);
  }
  std::ranges::reverse(chosen);
  print(out, chosen);
}

}  // namespace serrate::cuda
