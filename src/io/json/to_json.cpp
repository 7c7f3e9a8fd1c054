// Arrays as JSON text, level by level as they are stored.
#include <cmath>
#include <type_traits>

#include "core/interrupt.h"
#include "core/seams.h"
#include "io/json/text.h"
#include "serrate/error.h"
#include "serrate/json.h"

namespace serrate {
namespace io {
namespace {

/// A level of a view with the texts around its values, which depend on how deep it is only.
struct Level {
  const View* view;
  std::string open, between, close, empty;
  std::vector<std::string> names;  // what stands before each field
  std::vector<Level> contents;
};

class Writer {
 public:
  Writer(const ToJsonOptions& o, const std::function<void(std::string_view)>* write)
      : o_(o), write_(write), limit_(static_cast<size_t>(seams().json_text)) {
    if (o.line_delimiter) o_.num_indent_spaces.reset();
    const std::string spaces(static_cast<size_t>(o.num_readability_spaces), ' ');
    comma_ = "," + spaces;
    colon_ = ":" + spaces;
    const auto text = [](const std::optional<std::string>& s) {
      JsonText quoted;
      if (s) quoted.quote(*s);
      return quoted.take();
    };
    nan_ = text(o.numbers.nan_string);
    posinf_ = text(o.numbers.posinf_string);
    neginf_ = text(o.numbers.neginf_string);
  }

  std::string array(const ArrayView& a) {
    if (a.is_scalar()) {
      value(level_of(a.item, 0), a.first);
      if (o_.line_delimiter) text_.append(*o_.line_delimiter);
    } else if (o_.line_delimiter) {
      const Level item = level_of(a.item, 0);
      for (int64_t i = a.first; i < a.first + a.length; ++i) {
        value(item, i);
        text_.append(*o_.line_delimiter);
        flush(limit_);
      }
    } else {
      Level all{nullptr, {}, {}, {}, {}, {}, {}};
      set_brackets(all, '[', ']', 0);
      all.contents.push_back(level_of(a.item, 1));
      list(all, a.first, a.first + a.length);
    }
    flush(0);
    return text_.take();
  }

 private:
  std::string new_line(int depth) const {
    if (!o_.num_indent_spaces) return {};
    return "\n" + std::string(static_cast<size_t>(*o_.num_indent_spaces * depth), ' ');
  }
  void set_brackets(Level& l, char open, char close, int depth) const {
    l.open = open + new_line(depth + 1);
    l.between = comma_ + new_line(depth + 1);
    l.close = new_line(depth) + close;
    l.empty = {open, close};
  }
  std::string name(const std::string& s) const {
    JsonText text;
    text.quote(s);
    return text.take() + colon_;
  }

  Level level_of(const View& v, int depth) const {
    Level l{&v, {}, {}, {}, {}, {}, {}};
    int inside = depth;
    const bool record = v.kind == ViewKind::record || v.kind == ViewKind::tuple;
    if (v.kind == ViewKind::list) {
      set_brackets(l, '[', ']', depth);
      ++inside;
    } else if (record || v.kind == ViewKind::number) {
      set_brackets(l, '{', '}', depth);
      inside += record;
    }
    for (size_t k = 0; record && k < v.contents.size(); ++k)
      l.names.push_back(name(v.kind == ViewKind::record ? v.names[k] : std::to_string(k)));
    if (const auto& fields = o_.numbers.complex_record_fields; fields && v.kind == ViewKind::number)
      l.names = {name(fields->first), name(fields->second)};
    for (const View& c : v.contents) l.contents.push_back(level_of(c, inside));
    return l;
  }

  void flush(size_t limit) {
    if (!write_ || text_.size() <= limit) return;
    (*write_)(text_.view());
    text_.clear();
  }

  void list(const Level& l, int64_t begin, int64_t end) {
    interruptible_.step();
    if (begin == end) return text_.append(l.empty);
    text_.append(l.open);
    const Level& item = l.contents[0];
    if (item.view->kind == ViewKind::number) {
      numbers(l, item, begin, end);
    } else {
      for (int64_t i = begin; i < end; ++i) {
        if (i != begin) text_.append(l.between);
        value(item, i);
        flush(limit_);
      }
    }
    text_.append(l.close);
  }

  // The type of the numbers is asked for once a list.
  void numbers(const Level& l, const Level& item, int64_t begin, int64_t end) {
    with_number(item, [&](auto&& write) {
      for (int64_t i = begin; i < end; ++i) {
        if (i != begin) text_.append(l.between);
        write(i);
        flush(limit_);
      }
    });
  }

  template <class T, class F>
  void with_real(const Level& l, F&& f) {
    f([this, p = static_cast<const T*>(l.view->data)](int64_t i) {
      real(static_cast<double>(p[i]));
    });
  }
  template <class T, class F>
  void with_integer(const Level& l, F&& f) {
    using Wide = std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>;
    f([this, p = static_cast<const T*>(l.view->data)](int64_t i) {
      text_.end(write_integer(text_.room(32), static_cast<Wide>(p[i])));
    });
  }
  template <class T, class F>
  void with_complex(const Level& l, F&& f) {
    f([this, &l, p = static_cast<const T*>(l.view->data)](int64_t i) {
      if (l.names.empty()) return other(l, i, "complex number");
      text_.append(l.open);
      text_.append(l.names[0]);
      real(static_cast<double>(p[2 * i]));
      text_.append(l.between);
      text_.append(l.names[1]);
      real(static_cast<double>(p[2 * i + 1]));
      text_.append(l.close);
    });
  }
  // Calls f with a function that writes the number at a position.
  template <class F>
  void with_number(const Level& l, F&& f) {
    switch (l.view->dtype) {
      case DType::boolean:
        return f([this, p = static_cast<const uint8_t*>(l.view->data)](int64_t i) {
          text_.append(p[i] ? "true" : "false");
        });
      case DType::int8:
        return with_integer<int8_t>(l, f);
      case DType::int16:
        return with_integer<int16_t>(l, f);
      case DType::int32:
        return with_integer<int32_t>(l, f);
      case DType::uint8:
        return with_integer<uint8_t>(l, f);
      case DType::uint16:
        return with_integer<uint16_t>(l, f);
      case DType::uint32:
        return with_integer<uint32_t>(l, f);
      case DType::uint64:
        return with_integer<uint64_t>(l, f);
      case DType::float16:
        return f([this, p = static_cast<const uint16_t*>(l.view->data)](int64_t i) {
          real(half_to_double(p[i]));
        });
      case DType::float32:
        return with_real<float>(l, f);
      case DType::float64:
        return with_real<double>(l, f);
      case DType::complex64:
        return with_complex<float>(l, f);
      case DType::complex128:
        return with_complex<double>(l, f);
      case DType::datetime64:
        return f([this, &l](int64_t i) { other(l, i, "datetime64"); });
      case DType::timedelta64:
        return f([this, &l](int64_t i) { other(l, i, "timedelta64"); });
      default:
        return with_integer<int64_t>(l, f);
    }
  }

  void real(double x) {
    if (std::isfinite(x)) [[likely]]
      return text_.end(write_double(text_.room(40), x));
    const bool nan = std::isnan(x);
    const std::string& text = nan ? nan_ : x > 0 ? posinf_ : neginf_;
    check<ValueError>(!text.empty(), "to_json: JSON has no {}: give {} a text that stands for it",
                      nan     ? "NaN"
                      : x > 0 ? "infinity"
                              : "negative infinity",
                      nan     ? "nan_string"
                      : x > 0 ? "posinf_string"
                              : "neginf_string");
    text_.append(text);
  }

  void other(const Level& l, int64_t i, const char* what) {
    check<TypeError>(static_cast<bool>(o_.convert_other),
                     "to_json: JSON has no {}: give convert_other (or, for complex numbers, "
                     "complex_record_fields)",
                     what);
    nested(o_.convert_other(*l.view, i), l);
  }
  void bytes(const Level& l, int64_t i) {
    check<TypeError>(static_cast<bool>(o_.convert_bytes),
                     "to_json: JSON has no bytes: give convert_bytes, as bytes.decode");
    nested(o_.convert_bytes(l.view->text(i)), l);
  }
  // JSON of somebody else's, indented as what is around it: there is no end of a line in strings.
  void nested(const std::string& json, const Level& l) {
    const std::string_view end = std::string_view(l.close).substr(0, l.close.find('}'));
    size_t begin = 0;
    for (size_t at; (at = json.find('\n', begin)) != json.npos; begin = at + 1) {
      text_.append(std::string_view(json).substr(begin, at - begin));
      text_.append(end.empty() ? "\n" : end);
    }
    text_.append(std::string_view(json).substr(begin));
  }

  void record(const Level& l, int64_t i) {
    if (l.contents.empty()) return text_.append(l.empty);
    text_.append(l.open);
    for (size_t k = 0; k < l.contents.size(); ++k) {
      if (k) text_.append(l.between);
      text_.append(l.names[k]);
      value(l.contents[k], i);
    }
    text_.append(l.close);
  }

  void value(const Level& l, int64_t i) {
    const View& v = *l.view;
    switch (v.kind) {
      case ViewKind::number:
        return with_number(l, [i](auto&& write) { write(i); });
      case ViewKind::string:
        return text_.quote(v.text(i));
      case ViewKind::bytestring:
        return bytes(l, i);
      case ViewKind::list: {
        const int64_t begin = v.offset(i);
        return list(l, begin, v.offset_width ? v.offset(i + 1) : begin + v.size);
      }
      case ViewKind::option:
        if (v.is_valid(i)) return value(l.contents[0], i);
        break;
      case ViewKind::record:
      case ViewKind::tuple:
        return record(l, i);
      case ViewKind::union_:
        return value(l.contents[static_cast<size_t>(v.tags[i])], i);
      case ViewKind::categorical:
        return value(l.contents[0], v.index(i));
      case ViewKind::unknown:
        break;
    }
    text_.append("null");
  }

  ToJsonOptions o_;
  const std::function<void(std::string_view)>* write_;
  size_t limit_;
  std::string comma_, colon_, nan_, posinf_, neginf_;
  JsonText text_;
  Interruptible& interruptible_ = Interruptible::of_thread();
};

}  // namespace
}  // namespace io

std::string to_json(const Array& x, const ToJsonOptions& o) {
  return io::Writer(o, nullptr).array(view(x));
}
void to_json(const Array& x, const std::function<void(std::string_view)>& write,
             const ToJsonOptions& o) {
  io::Writer(o, &write).array(view(x));
}

}  // namespace serrate
