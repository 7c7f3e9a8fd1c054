// The common type of two types: what concatenating their arrays gives.
#include <algorithm>

#include "serrate/error.h"
#include "serrate/type.h"

namespace serrate {
namespace {

using Kind = Type::Kind;

/// Tags of unions are int8.
constexpr size_t kMaxUnionContents = 128;

Type merge(const Type& a, const Type& b);

/// What is in both; a parameter with two values would not describe the merged data.
Parameters intersect(const Type& a, const Type& b) {
  Parameters out;
  for (const auto& [key, json] : a.parameters()) {
    if (b.parameter(key) == json) out.emplace_back(key, json);
  }
  return out;
}

Type with(const Type& t, const Parameters& parameters) {
  return parameters.empty() && t.parameters().empty() ? t : t.with_parameters(parameters);
}

/// One form for options: the option outside of the category mark, unions outside of options.
Type normalized(const Type& t) {
  if (!t.is(Kind::option)) return t;
  const Type content = t.is_categorical() ? t.content().as_categorical() : t.content();
  return simplify_option(content, t.as_categorical(false).parameters());
}

bool same_type_parameters(const Type& a, const Type& b) {
  for (const std::string_view key : {"__array__", "__list__", "__record__"}) {
    if (a.parameter(key) != b.parameter(key)) return false;
  }
  return true;
}

bool mergeable_numbers(const Type& a, const Type& b, bool mergebool) {
  if (a.dtype() == b.dtype()) return a.unit() == b.unit();
  if (is_time(a.dtype()) || is_time(b.dtype())) return false;
  return mergebool || (a.dtype() != DType::boolean && b.dtype() != DType::boolean);
}

bool mergeable_records(const Type& a, const Type& b, bool mergebool) {
  if (a.is_tuple() != b.is_tuple() || a.contents().size() != b.contents().size()) return false;
  for (size_t i = 0; i < a.contents().size(); ++i) {
    const int64_t j = a.is_tuple() ? static_cast<int64_t>(i) : b.field_index(a.fields()[i]);
    if (j < 0 || !mergeable(a.content(i), b.content(j), mergebool)) return false;
  }
  return true;
}

Type merge_records(const Type& a, const Type& b) {
  std::vector<Type> contents;
  for (size_t i = 0; i < a.contents().size(); ++i) {
    const int64_t j = a.is_tuple() ? static_cast<int64_t>(i) : b.field_index(a.fields()[i]);
    contents.push_back(merge(a.content(i), b.content(j)));
  }
  const auto names = a.fields();
  return a.is_tuple() ? Type::tuple(std::move(contents))
                      : Type::record({names.begin(), names.end()}, std::move(contents));
}

Type merge_lists(const Type& a, const Type& b) {
  Type content = merge(a.content(), b.content());
  const bool regular = a.is(Kind::regular) && b.is(Kind::regular) && a.size() == b.size();
  return regular ? Type::regular(std::move(content), a.size()) : Type::list(std::move(content));
}

Type merge_strings(const Type& a, const Type& b) {
  const bool is_string = a.is(Kind::string);
  if (a.size() != b.size() || a.size() == kUnknownSize) {
    return is_string ? Type::string() : Type::bytestring();
  }
  return is_string ? Type::string(a.size()) : Type::bytestring(a.size());
}

/// Adds one content to those of a union: into the first that takes it, else as a new one.
void add_content(std::vector<Type>& contents, const Type& t, bool mergebool) {
  const Type next = normalized(t);
  if (next.is(Kind::union_)) {
    for (const Type& inner : next.contents()) add_content(contents, inner, mergebool);
    return;
  }
  const auto taker = std::find_if(contents.begin(), contents.end(), [&](const Type& content) {
    return mergeable(content, next, mergebool);
  });
  if (taker != contents.end()) {
    *taker = merge(*taker, next);
  } else {
    contents.push_back(next);
  }
}

/// A union without unions and mergeable contents inside; where one content is an option, all are.
Type simplify_union(std::initializer_list<Type> parts, const Parameters& parameters,
                    bool mergebool) {
  std::vector<Type> contents;
  for (const Type& part : parts) add_content(contents, part, mergebool);
  check<ValueError>(contents.size() <= kMaxUnionContents, "type: a union of {} types, at most {}",
                    contents.size(), kMaxUnionContents);
  const auto is_option = [](const Type& t) { return t.is(Kind::option); };
  if (std::any_of(contents.begin(), contents.end(), is_option)) {
    for (Type& content : contents) {
      if (!is_option(content)) content = Type::option(content);
    }
  }
  if (contents.size() == 1) return contents[0];
  return with(Type::union_(std::move(contents)), parameters);
}

/// Two types of the same kind, neither of them an option, union or unknown.
Type merge_same_kind(const Type& a, const Type& b) {
  const Parameters parameters = intersect(a, b);
  if (a.is(Kind::number)) {
    return with(Type::number(promote(a.dtype(), b.dtype()), a.unit()), parameters);
  }
  if (a.is_string_like()) return with(merge_strings(a, b), parameters);
  if (a.is_list_like()) return with(merge_lists(a, b), parameters);
  return with(merge_records(a, b), parameters);
}

/// The type of mergeable `left` and `right` in one column (a union if one is a union). As all
/// parameters, the mark of categories stays only where both sides have it.
Type merge(const Type& left, const Type& right) {
  const Type a = normalized(left), b = normalized(right);
  if (a.is(Kind::unknown)) return b;
  if (b.is(Kind::unknown)) return a;
  if (a.is(Kind::union_) || b.is(Kind::union_)) {
    return simplify_union({a, b}, intersect(a, b), /*mergebool=*/false);
  }
  if (a.is(Kind::option) && b.is(Kind::option)) {
    return simplify_option(merge(a.content(), b.content()), intersect(a, b));
  }
  if (a.is(Kind::option)) return simplify_option(merge(a.content(), b), a.parameters());
  if (b.is(Kind::option)) return simplify_option(merge(a, b.content()), b.parameters());
  return merge_same_kind(a, b);
}

}  // namespace

Type simplify_option(const Type& content, const Parameters& parameters) {
  if (content.is(Kind::option)) {
    Parameters all = content.parameters();
    all.insert(all.end(), parameters.begin(), parameters.end());
    return simplify_option(content.content(), all);
  }
  if (content.is(Kind::union_)) {
    std::vector<Type> contents;
    for (const Type& c : content.contents()) contents.push_back(simplify_option(c, parameters));
    return with(Type::union_(std::move(contents)), content.parameters());
  }
  return with(Type::option(content), parameters);
}

bool mergeable(const Type& a, const Type& b, bool mergebool) {
  if (a.is(Kind::unknown) || b.is(Kind::unknown)) return true;
  if (a.is(Kind::union_) || b.is(Kind::union_)) return true;
  if (a.is(Kind::option)) return mergeable(a.content(), b, mergebool);
  if (b.is(Kind::option)) return mergeable(a, b.content(), mergebool);
  if (!same_type_parameters(a, b)) return false;
  if (a.is_list_like() && b.is_list_like()) return mergeable(a.content(), b.content(), mergebool);
  if (a.kind() != b.kind()) return false;
  if (a.is(Kind::number)) return mergeable_numbers(a, b, mergebool);
  if (a.is(Kind::record)) return mergeable_records(a, b, mergebool);
  return a.is_string_like();
}

Type unify(const Type& a, const Type& b, bool mergebool) {
  if (a.is(Kind::array) && b.is(Kind::array)) {
    const bool known = a.size() != kUnknownSize && b.size() != kUnknownSize;
    int64_t length = kUnknownSize;
    check<ValueError>(!known || !__builtin_add_overflow(a.size(), b.size(), &length),
                      "unify: lengths {} and {} add to more than 2^63", a.size(), b.size());
    return Type::array(length, unify(a.content(), b.content(), mergebool));
  }
  if (a.is(Kind::array) || b.is(Kind::array)) {
    throw TypeError(fmt::format("unify: an array with a bare type: {} and {}", a.str(), b.str()));
  }
  const Type out = mergeable(a, b, mergebool) ? merge(a, b) : simplify_union({a, b}, {}, false);
  // Only the outermost union merges bool: what is inside of lists has been merged before.
  return out.is(Kind::union_) ? simplify_union({out}, out.parameters(), mergebool) : out;
}

}  // namespace serrate
