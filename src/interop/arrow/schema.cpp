// Reading the format strings of Arrow's C interface.
#include "interop/arrow/schema.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/json_text.h"
#include "serrate/error.h"

namespace serrate::interop::arrow {
namespace {

constexpr int64_t kMostChildren = int64_t{1} << 24;
constexpr int64_t kMostMetadata = int64_t{1} << 28;  // bytes of one key or value

struct Plain {
  std::string_view format;
  DType dtype, stored;
  std::string_view unit;
};
constexpr Plain kPlain[] = {
    {"c", DType::int8, DType::int8, ""},
    {"C", DType::uint8, DType::uint8, ""},
    {"s", DType::int16, DType::int16, ""},
    {"S", DType::uint16, DType::uint16, ""},
    {"i", DType::int32, DType::int32, ""},
    {"I", DType::uint32, DType::uint32, ""},
    {"l", DType::int64, DType::int64, ""},
    {"L", DType::uint64, DType::uint64, ""},
    {"e", DType::float16, DType::float16, ""},
    {"f", DType::float32, DType::float32, ""},
    {"g", DType::float64, DType::float64, ""},
    {"tdD", DType::datetime64, DType::int32, "D"},
    {"tdm", DType::datetime64, DType::datetime64, "ms"},
    {"tts", DType::datetime64, DType::int32, "s"},
    {"ttm", DType::datetime64, DType::int32, "ms"},
    {"ttu", DType::datetime64, DType::datetime64, "us"},
    {"ttn", DType::datetime64, DType::datetime64, "ns"},
    {"tDs", DType::timedelta64, DType::timedelta64, "s"},
    {"tDm", DType::timedelta64, DType::timedelta64, "ms"},
    {"tDu", DType::timedelta64, DType::timedelta64, "us"},
    {"tDn", DType::timedelta64, DType::timedelta64, "ns"},
    {"tiM", DType::timedelta64, DType::int32, "M"},
};

class Reader {
 public:
  Field field(const ArrowSchema& s, const std::string& where, int depth) {
    Field f;
    f.where = where;
    check<ValueError>(s.release != nullptr, "from_arrow: the schema at {} is released",
                      where.empty() ? "the root" : where);
    check<ValueError>(s.format != nullptr, "from_arrow: the schema at {} has no format",
                      where.empty() ? "the root" : where);
    f.format = s.format;
    check<ValueError>(depth < kMaxTypeDepth,
                      "from_arrow: the schema is nested too deep: {} levels are possible at most",
                      kMaxTypeDepth);
    if (s.name != nullptr) f.name = s.name;
    f.metadata = read_metadata(s.metadata);
    f.nullable = (s.flags & ARROW_FLAG_NULLABLE) != 0;
    f.keys_sorted = (s.flags & ARROW_FLAG_MAP_KEYS_SORTED) != 0;
    f.ordered = (s.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
    check<ValueError>(s.n_children >= 0 && s.n_children <= kMostChildren &&
                          (s.n_children == 0 || s.children != nullptr),
                      "from_arrow: {} has {} children", f, s.n_children);
    format(f, s.n_children);
    f.children.reserve(static_cast<size_t>(s.n_children));
    for (int64_t i = 0; i < s.n_children; ++i) {
      const ArrowSchema* c = s.children[i];
      check<ValueError>(c != nullptr, "from_arrow: child {} of {} is null", i, f);
      const char* name = c->name != nullptr ? c->name : "";
      std::string path = f.where;
      if (f.kind == Kind::record || *name == '\0')
        path.append("[").append(std::to_string(i)).append("]");
      else
        path.append(".").append(name);
      f.children.push_back(field(*c, path, depth + 1));
      f.levels = std::max(f.levels, f.children.back().levels + 1);
    }
    relations(f);
    if (s.dictionary != nullptr) {
      check<ValueError>(f.kind == Kind::number && f.unit.empty() && is_integer(f.dtype),
                        "from_arrow: the index of a dictionary is {}", f);
      f.dictionary.push_back(field(*s.dictionary, f.where + ".dictionary", depth + 1));
      f.levels = std::max(f.levels, f.dictionary[0].levels + 1);
    }
    return f;
  }

 private:
  static int64_t number(const Field& f, std::string_view text, int64_t most) {
    int64_t n = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    check<ValueError>(
        error == std::errc{} && end == text.data() + text.size() && n >= -most && n <= most,
        "from_arrow: the number in the format of {}", f);
    return n;
  }
  static std::vector<int64_t> numbers(const Field& f, std::string_view text, int64_t most) {
    std::vector<int64_t> out;
    while (true) {
      const size_t comma = text.find(',');
      out.push_back(number(f, text.substr(0, comma), most));
      if (comma == text.npos) return out;
      text.remove_prefix(comma + 1);
    }
  }
  static int64_t size(const Field& f, std::string_view text) {
    const int64_t n = number(f, text, INT32_MAX);
    check<ValueError>(n >= 0, "from_arrow: the size in the format of {}", f);
    return n;
  }
  static void children(const Field& f, int64_t found, int64_t expected) {
    check<ValueError>(found == expected, "from_arrow: {} has {} children, expected {}", f, found,
                      expected);
  }

  static void decimal(Field& f, std::string_view text) {
    f.kind = Kind::decimal;
    const std::vector<int64_t> n = numbers(f, text, 10000);
    check<ValueError>(n.size() == 2 || n.size() == 3, "from_arrow: the numbers in the format of {}",
                      f);
    const int64_t bits = n.size() == 3 ? n[2] : 128;
    check<ValueError>(bits == 32 || bits == 64 || bits == 128 || bits == 256,
                      "from_arrow: a decimal of {} bits: {}", bits, f);
    const int64_t most = bits == 32 ? 9 : bits == 64 ? 18 : bits == 128 ? 38 : 76;
    check<ValueError>(n[0] >= 1 && n[0] <= most, "from_arrow: {} digits in {} bits: {}", n[0], bits,
                      f);
    f.precision = static_cast<int>(n[0]);
    f.scale = static_cast<int>(n[1]);
    f.width = bits / 8;
  }

  static void nested(Field& f, std::string_view t, int64_t n) {
    const auto after = [&](std::string_view start) { return t.substr(start.size()); };
    if (t == "+l" || t == "+L" || t == "+m") {
      f.kind = Kind::list;
      f.width = t == "+L" ? 8 : 4;
      f.is_map = t == "+m";
      children(f, n, 1);
    } else if (t == "+vl" || t == "+vL") {
      f.kind = Kind::list_view;
      f.width = t == "+vL" ? 8 : 4;
      children(f, n, 1);
    } else if (t.starts_with("+w:")) {
      f.kind = Kind::fixed_list;
      f.width = size(f, after("+w:"));
      children(f, n, 1);
    } else if (t == "+s") {
      f.kind = Kind::record;
    } else if (t == "+r") {
      f.kind = Kind::run_ends;
      children(f, n, 2);
    } else if (t.starts_with("+ud:") || t.starts_with("+us:")) {
      f.kind = t[2] == 'd' ? Kind::dense_union : Kind::sparse_union;
      if (!after("+ud:").empty()) {
        for (const int64_t code : numbers(f, after("+ud:"), 127)) {
          check<ValueError>(code >= 0, "from_arrow: a type code of {}", f);
          for (const int other : f.type_codes)
            check<ValueError>(other != code, "from_arrow: {} has type code {} twice", f, code);
          f.type_codes.push_back(static_cast<int>(code));
        }
      }
      children(f, n, static_cast<int64_t>(f.type_codes.size()));
    } else {
      unknown(f);
    }
  }
  [[noreturn]] static void unknown(const Field& f) {
    throw ValueError(fmt::format("from_arrow: unknown format of {}", f));
  }

  static void format(Field& f, int64_t n_children) {
    const std::string_view t = f.format;
    if (t.starts_with("+")) return nested(f, t, n_children);
    children(f, n_children, 0);
    for (const Plain& p : kPlain) {
      if (t != p.format) continue;
      f.kind = Kind::number;
      f.dtype = p.dtype;
      f.stored = p.stored;
      f.unit = p.unit;
      return;
    }
    if (t == "n") return;
    if (t == "b") {
      f.kind = Kind::boolean;
      f.dtype = DType::boolean;
    } else if (t == "u" || t == "U" || t == "z" || t == "Z") {
      f.kind = Kind::text;
      f.is_utf8 = t == "u" || t == "U";
      f.width = t == "U" || t == "Z" ? 8 : 4;
    } else if (t == "vu" || t == "vz") {
      f.kind = Kind::text_view;
      f.is_utf8 = t == "vu";
    } else if (t.starts_with("w:")) {
      f.kind = Kind::fixed_bytes;
      f.width = size(f, t.substr(2));
    } else if (t.starts_with("d:")) {
      decimal(f, t.substr(2));
    } else if (t.size() >= 4 && t.starts_with("ts") && t[3] == ':') {
      constexpr std::string_view letters = "smun";
      constexpr std::string_view units[] = {"s", "ms", "us", "ns"};
      const size_t unit = letters.find(t[2]);
      if (unit == letters.npos) unknown(f);
      f.kind = Kind::number;
      f.dtype = f.stored = DType::datetime64;
      f.unit = units[unit];
      f.zone = t.substr(4);
    } else if (t == "tiD" || t == "tin") {
      f.kind = Kind::interval;
      f.width = t == "tiD" ? 8 : 16;
    } else {
      unknown(f);
    }
  }

  // What of a field its children say.
  static void relations(const Field& f) {
    if (f.kind == Kind::run_ends) {
      const Field& ends = f.children[0];
      check<ValueError>(ends.kind == Kind::number && ends.unit.empty() &&
                            is_signed_integer(ends.dtype) && ends.dtype != DType::int8 &&
                            ends.dictionary.empty(),
                        "from_arrow: the run ends of {} are {}", f, ends);
    }
    if (f.is_map) {
      const Field& entries = f.children[0];
      check<ValueError>(entries.kind == Kind::record && entries.children.size() == 2 &&
                            entries.dictionary.empty(),
                        "from_arrow: the entries of {} are {}, expected records of two fields", f,
                        entries);
    }
  }
};

int32_t read_int(const char*& p) {
  int32_t n = 0;
  std::memcpy(&n, p, sizeof n);
  p += sizeof n;
  return n;
}

}  // namespace

std::string_view Field::meta(std::string_view key) const {
  for (const auto& [k, v] : metadata) {
    if (k == key) return v;
  }
  return {};
}

std::string Field::describe() const {
  return fmt::format("\"{}\" at {}", format.size() > 200 ? format.substr(0, 200) + "..." : format,
                     where.empty() ? "the root" : where);
}

Field read_schema(const ArrowSchema& s) { return Reader().field(s, "", 0); }

Metadata read_metadata(const char* block) {
  Metadata out;
  if (block == nullptr) return out;
  const int32_t n = read_int(block);
  check<ValueError>(n >= 0 && n < 1 << 20, "from_arrow: metadata of {} pairs", n);
  const auto text = [&block] {
    const int32_t bytes = read_int(block);
    check<ValueError>(bytes >= 0 && bytes <= kMostMetadata, "from_arrow: metadata of {} bytes",
                      bytes);
    std::string t(block, static_cast<size_t>(bytes));
    block += bytes;
    return t;
  };
  for (int32_t i = 0; i < n; ++i) {
    std::string key = text();
    out.emplace_back(std::move(key), text());
  }
  return out;
}

std::string write_metadata(const Metadata& m) {
  std::string out;
  const auto number = [&out](size_t n) {
    const auto small = static_cast<int32_t>(n);
    out.append(reinterpret_cast<const char*>(&small), sizeof small);
  };
  number(m.size());
  for (const auto& [key, value] : m) {
    number(key.size());
    out += key;
    number(value.size());
    out += value;
  }
  return out;
}

std::string bytes_to_json(std::string_view bytes) {
  std::string utf8;
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    if (b < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xc0 | b >> 6);
      utf8 += static_cast<char>(0x80 | (b & 0x3f));
    }
  }
  return json_quote(utf8);
}

std::string bytes_of_json(std::string_view json) {
  const std::string utf8 = core::json_string(json).value_or("");
  std::string out;
  for (size_t i = 0; i < utf8.size(); ++i) {
    const auto b = static_cast<unsigned char>(utf8[i]);
    if (b >= 0xc0 && b < 0xc4 && i + 1 < utf8.size())
      out += static_cast<char>((b & 3) << 6 | (utf8[++i] & 0x3f));
    else
      out += utf8[i];
  }
  return out;
}

}  // namespace serrate::interop::arrow
