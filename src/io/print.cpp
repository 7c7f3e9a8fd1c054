// Arrays as text: as many values as fit, from both ends towards the middle.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <ostream>

#include "core/json_text.h"
#include "graph/evaluate.h"
#include "io/text.h"
#include "serrate/error.h"
#include "serrate/io.h"

namespace serrate {
namespace {

// The rows to be printed: all of an array, or its first and last ones.
struct Rows {
  const View* head = nullptr;
  const View* tail = nullptr;
  int64_t head_first = 0, tail_end = 0;  // positions
  int64_t n = 0, split = 0;              // rows before `split` are in head
  const View& view(int64_t k) const { return k < split ? *head : *tail; }
  int64_t position(int64_t k) const { return k < split ? head_first + k : tail_end - (n - k); }
};

Rows rows_of(const View& item, int64_t begin, int64_t end) {
  return {&item, &item, begin, end, end - begin, end - begin};
}

// Order in which items are tried: first, last, second, second last ...
int64_t from_both_ends(int64_t k, int64_t n) { return k % 2 == 0 ? k / 2 : n - 1 - k / 2; }

bool is_identifier(std::string_view s) {
  auto letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
  if (s.empty() || !(letter(s[0]) || s[0] == '_')) return false;
  return std::all_of(s.begin(), s.end(),
                     [&](char c) { return letter(c) || c == '_' || (c >= '0' && c <= '9'); });
}

std::string key_text(const View& record, size_t k) {
  if (record.kind == ViewKind::tuple) return {};
  const std::string& name = record.names[k];
  return (is_identifier(name) ? name : python_repr(name)) + ": ";
}

int64_t half(int64_t n) { return n >= 0 ? (n + 1) / 2 : n / 2; }

// A piece of text and the columns it is charged with.
struct Piece {
  int64_t columns = 0;
  std::string text;
};

constexpr std::string_view kMore = ", ...";

class Printer {
 public:
  Printer(int precision, const FormatHook& hook) : precision_(precision), hook_(hook) {}

  Piece value(const View& v, int64_t i, int64_t limit) const {
    if (hook_) {
      if (std::string own; hook_(v, i, own)) {
        const bool fits = io::width(own) <= limit;
        // Of a record whose class says its text the fields are nobody's business.
        if (!fits && (v.kind == ViewKind::record || v.kind == ViewKind::tuple))
          return {io::width(own), "..."};
        // Lists that do not fit are left to us, who can shorten them.
        if (fits || v.kind != ViewKind::list) return whole(std::move(own));
      }
    }
    switch (v.kind) {
      case ViewKind::number:
        return whole(io::number_text(v, i, precision_));
      case ViewKind::string:
        return whole(python_repr(v.text(i)));
      case ViewKind::bytestring:
        return whole(python_bytes_repr(v.text(i)));
      case ViewKind::list: {
        const int64_t a = v.offset(i);
        return list(rows_of(v.contents[0], a, v.offset_width ? v.offset(i + 1) : a + v.size),
                    limit);
      }
      case ViewKind::option:
        if (v.is_valid(i)) return value(v.contents[0], i, limit);
        break;
      case ViewKind::record:
      case ViewKind::tuple:
        return record(v, i, limit);
      case ViewKind::union_:
        return value(v.contents[static_cast<size_t>(v.tags[i])], i, limit);
      case ViewKind::categorical:
        return value(v.contents[0], v.index(i), limit);
      case ViewKind::unknown:
        break;
    }
    return whole("None");
  }

  Piece list(const Rows& r, int64_t limit) const {
    if (r.n == 0) return {2, "[]"};
    if (r.n == 1) {
      Piece one = value(r.view(0), r.position(0), limit - 2);
      if (one.text == "...") return {5, "[...]"};
      return {2 + one.columns, "[" + one.text + "]"};
    }
    const int64_t brackets = 2;
    int64_t left = limit - brackets - more();
    std::string front;
    std::deque<std::string> back;
    int64_t shown = 0;
    for (; shown < r.n; ++shown) {
      const int64_t k = from_both_ends(shown, r.n);
      const int64_t comma = shown == 0 ? 0 : 2;
      Piece item = value(r.view(k), r.position(k), left - comma);
      if (left - comma - item.columns < 0) break;
      left -= comma + item.columns;
      if (shown % 2 == 0)
        front += (comma ? ", " : "") + item.text;
      else
        back.push_front(", " + item.text);
    }
    left -= elide(front, shown == 0, shown == r.n);
    std::string text = "[" + front;
    for (const auto& b : back) text += b;
    return {limit - (left + more()), text + "]"};
  }

  Piece record(const View& v, int64_t i, int64_t limit) const {
    const bool tuple = v.kind == ViewKind::tuple;
    const size_t n = v.contents.size();
    std::string text;
    int64_t left = limit - 2 - more();
    // Names and values count one each: a name may be printed without room for its value.
    size_t shown = 0;
    for (size_t k = 0; k < n; ++k) {
      const int64_t comma = shown == 0 ? 0 : 2;
      const std::string key = key_text(v, k);
      const int64_t key_columns = io::width(key);
      if (left - (comma + key_columns + 3) < 0) break;
      if (comma) text += ", ";
      text += key;
      left -= comma + key_columns;
      ++shown;
      Piece item = value(v.contents[k], i, n == 1 ? left : half(left));
      if (left - item.columns < 0) {
        text += "...";
        left -= 3;
        break;
      }
      text += item.text;
      left -= item.columns;
      ++shown;
    }
    if (n != 0) left -= elide(text, shown == 0, shown == 2 * n);
    return {limit - (left + more()), (tuple ? "(" : "{") + text + (tuple ? ")" : "}")};
  }

  // One row per line.
  std::string lines(const Rows& r, int64_t limit_rows, int64_t limit_cols) const {
    std::vector<std::string> front;
    std::deque<std::string> back;
    int64_t shown = 0;
    while (shown < r.n && shown < limit_rows) {
      const int64_t k = from_both_ends(shown, r.n);
      std::string text = value(r.view(k), r.position(k), limit_cols - 2).text;
      if (shown % 2 == 0)
        front.push_back(std::move(text));
      else
        back.push_front(std::move(text));
      ++shown;
    }
    if (shown != r.n && !back.empty()) back[0] = "...";
    front.insert(front.end(), back.begin(), back.end());
    return enclosed(front, '[', ']');
  }

  // One field per line.
  std::string lines(const View& v, int64_t i, int64_t limit_rows, int64_t limit_cols) const {
    const bool tuple = v.kind == ViewKind::tuple;
    std::vector<std::string> out;
    for (size_t k = 0; k < v.contents.size() && static_cast<int64_t>(k) < limit_rows; ++k) {
      const std::string key = key_text(v, k);
      out.push_back(key + value(v.contents[k], i, limit_cols - 2 - io::width(key)).text);
    }
    if (!out.empty() && out.size() != v.contents.size()) out.back() = "...";
    return enclosed(out, tuple ? '(' : '{', tuple ? ')' : '}');
  }

 private:
  static constexpr int64_t more() { return static_cast<int64_t>(kMore.size()); }
  static Piece whole(std::string text) {
    const int64_t n = io::width(text);
    return {n, std::move(text)};
  }
  // Appends the dots unless all is there; gives their columns.
  static int64_t elide(std::string& text, bool none, bool all) {
    const std::string_view dots = none ? "..." : all ? "" : kMore;
    text += dots;
    return static_cast<int64_t>(dots.size());
  }
  static std::string enclosed(const std::vector<std::string>& lines, char open, char close) {
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i) {
      out += i == 0 ? open : ' ';
      out += lines[i];
      out += i + 1 < lines.size() ? ',' : close;
      if (i + 1 < lines.size()) out += '\n';
    }
    return out;
  }

  int precision_;
  const FormatHook& hook_;
};

bool is_rows(const graph::Node& n) {
  return n.kind == graph::NodeKind::list && !graph::is_string(n);
}

// `count` rows of an array from row `start` on, as an array.
graph::NodeRef some_rows(const graph::Node& root, int64_t start, int64_t count) {
  const graph::SpaceRef rows = graph::rows(count);
  const graph::ColumnRef index =
      graph::apply(Op::add, {graph::position(rows), graph::constant(start)});
  return graph::list_node(rows, graph::rebase_pick(root.contents[0], rows, root.space, index));
}

// Views of what may be printed: everything, or `ends` rows at both ends, evaluated for this only.
struct Look {
  ArrayView head, tail;
  Rows rows;
  bool scalar = false;
  Look(const Array& x, int64_t ends) {
    const graph::NodeRef node = x.node();
    if (is_rows(*node) && !graph::is_stored(*node)) {
      const int64_t n = x.size();
      if (n > 2 * ends) {
        const auto parts = graph::evaluate(
            std::vector{some_rows(*node, 0, ends), some_rows(*node, n - ends, ends)});
        head = view(Array(parts[0]));
        tail = view(Array(parts[1]));
        rows = {&head.item, &tail.item, head.first, tail.first + tail.length, n, ends};
        return;
      }
    }
    head = view(x);
    scalar = head.is_scalar();
    if (!scalar) rows = rows_of(head.item, head.first, head.first + head.length);
  }
};

std::string one_line(const Array& x, int64_t limit_cols, int precision, const FormatHook& hook) {
  // An item and its comma take three columns or more.
  const Look look(x, std::max<int64_t>(limit_cols, 0) / 3 + 2);
  const Printer p(precision, hook);
  return look.scalar ? p.value(look.head.item, look.head.first, limit_cols).text
                     : p.list(look.rows, limit_cols).text;
}

// Past options, unions and categories: the level that value i really is of.
const View& concrete(const View& v, int64_t& i) {
  switch (v.kind) {
    case ViewKind::option:
      return v.is_valid(i) ? concrete(v.contents[0], i) : v;
    case ViewKind::union_:
      return concrete(v.contents[static_cast<size_t>(v.tags[i])], i);
    case ViewKind::categorical:
      i = v.index(i);
      return concrete(v.contents[0], i);
    default:
      return v;
  }
}

std::string body(const Array& x, const ShowOptions& o) {
  if (o.limit_rows <= 1) return one_line(x, o.limit_cols, o.precision, o.hook);
  const Look look(x, o.limit_rows / 2 + 1);
  const Printer p(o.precision, o.hook);
  if (!look.scalar) return p.lines(look.rows, o.limit_rows, o.limit_cols);
  int64_t i = look.head.first;
  const View& v = concrete(look.head.item, i);
  if (v.kind == ViewKind::record || v.kind == ViewKind::tuple)
    return p.lines(v, i, o.limit_rows, o.limit_cols);
  if (v.kind == ViewKind::list) {
    const int64_t a = v.offset(i), b = v.offset_width ? v.offset(i + 1) : a + v.size;
    return p.lines(rows_of(v.contents[0], a, b), o.limit_rows, o.limit_cols);
  }
  return p.value(v, i, o.limit_cols).text;
}

}  // namespace

std::string show(const Array& x, const ShowOptions& o) {
  std::string out = body(x, o);
  if (!o.type) return out;
  std::string type = "type: " + x.type().pretty();
  if (io::width(type) > o.limit_cols)
    type = std::string(io::first_columns(type, std::max<int64_t>(o.limit_cols - 3, 0))) + "...";
  return type + "\n" + out;
}

std::string str(const Array& x, int64_t limit_cols) { return one_line(x, limit_cols, 3, {}); }

std::string repr(const Array& x, int64_t limit_cols, const FormatHook& hook) {
  return repr(x, {.limit_cols = limit_cols, .hook = hook});
}

std::string repr(const Array& x, ReprOptions o) {
  const std::string name = !o.name.empty() ? o.name : x.is_scalar() ? "Record" : "Array";
  const std::string quoted = python_repr(o.type.empty() ? x.type().str() : o.type);
  std::string type = quoted.substr(1, quoted.size() - 2);
  const auto columns = [](std::string_view s) { return io::width(s); };
  const int64_t limit_cols = o.limit_cols - columns(o.between);
  const int64_t around = columns(name) + columns(" type=''") + 3;
  int64_t room = limit_cols - columns(type) - around;
  if (columns(type) + around >= limit_cols / 2)
    room = std::max<int64_t>(
        0, std::min(limit_cols / 2, limit_cols - columns(name) - columns(" type='...'") - 3));
  const std::string values = " " + one_line(x, room, 3, o.hook);
  const int64_t length =
      std::max<int64_t>(3, limit_cols - columns(name) - columns("type='...'") - columns(values));
  if (columns(type) > length) type = std::string(io::first_columns(type, length - 3)) + "...";
  return fmt::format("<{}{}{} type='{}'>", name, values, o.between, type);
}

std::ostream& operator<<(std::ostream& out, const Array& x) { return out << show(x); }
std::ostream& operator<<(std::ostream& out, const Type& t) { return out << t.str(); }

}  // namespace serrate
