// Stored trees as Arrow's arrays: memory is shared, but for bits and what Arrow has in another
// form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graph/ir.h"
#include "interop/arrow/awkward.h"
#include "interop/arrow/made.h"

namespace serrate::interop::arrow {

class Exporter {
 public:
  Exporter(const ToArrowOptions& o, Device device) : o_(o), device_(device) {}

  /// Items first .. first + n - 1 of the domain of a level, in the form that `want` asks for if it
  /// is not null.
  Made make(const graph::Node& n, int64_t first, int64_t count, const Field* want) const {
    return make(n, first, count, want, {});
  }
  /// The columns of a table, as a record that nobody misses, with Awkward's metadata of the table.
  Made table(const graph::Node& n, int64_t first, int64_t count, const Field* want) const;

 private:
  /// What is missing of a value.
  struct Mask {
    const graph::Node* option = nullptr;  // null: it is no option
    Buffer valid;                         // bytes; none: nothing is missing
  };
  /// The items of a level that an array is made of.
  struct Part {
    const graph::Node& n;
    int64_t first, count;
    const Field* want;
    const Mask& mask;
  };
  Made make(const graph::Node& n, int64_t first, int64_t count, const Field* want,
            const Mask& mask) const;
  Made masked(const Part& p) const;
  Mask mask_of(const graph::Node& option, int64_t first, int64_t count, const Mask& above) const;

  /// The field's metadata and its bits, for an array of that format; `node_type` is Awkward's.
  Made begin(const Part& p, std::string format, std::string_view node_type) const;
  void finish(Made& m, const Part& p, std::string_view node_type) const;

  // -- exporter_values.cpp
  Made number(const Part& p) const;
  Made decimal(const Part& p, const Field& as) const;
  Made interval(const Part& p, const Field& as) const;
  Made text(const Part& p) const;
  Made unknown(const Part& p) const;

  // -- exporter_lists.cpp
  struct Lists {
    Buffer offsets;  // from 0 on; none: of one size
    DType type = DType::int64;
    int64_t first = 0, items = 0;  // of the content
  };
  Lists lists(const Part& p, bool to32) const;
  Made list(const Part& p) const;
  Made record(const Part& p) const;
  Made union_of(const Part& p) const;
  Made categorical(const Part& p) const;

  // -- memory
  Buffer placed(const Buffer& host) const;
  /// Bits of bytes that are 0 or 1, and how many are 0: -1 where that was not counted.
  std::pair<Buffer, int64_t> bits(const Buffer& bytes, int64_t n) const;
  int64_t missing_on_device(const Buffer& bytes, int64_t n) const;

  const ToArrowOptions& o_;
  Device device_;
};

/// n items of a stored column, from `first` on.
Buffer items_of_column(const graph::ColumnRef& c, int64_t first, int64_t count);
/// The values of a column over rows(n), made of `from` (one item each, at least one).
Buffer computed(const Buffer& from, DType t, int64_t n, DType to,
                graph::ColumnRef (*f)(const graph::ColumnRef&, int64_t), int64_t argument);
/// JSON text of a parameter of a level, "" if absent.
std::string_view parameter(const graph::Node& n, std::string_view key);
/// The field that "__arrow__" of a level says, if it is one that we write.
std::optional<Field> arrow_parameter(const graph::Node& n);

}  // namespace serrate::interop::arrow
