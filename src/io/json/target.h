// What reads documents: with a schema, or finding types out.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/json/cursor.h"
#include "serrate/json.h"

namespace serrate::io {

/// Columns that documents are appended to.
class JsonTarget {
 public:
  virtual ~JsonTarget() = default;
  /// Appends one document. What it has of one that fails is of no use.
  virtual void read(JsonCursor& c) = 0;
  /// Columns of the same kind, empty.
  virtual std::unique_ptr<JsonTarget> fresh() const = 0;
  /// Appends what others of the same kind have read, in their order, which are used up.
  virtual void append(std::span<const std::unique_ptr<JsonTarget>> later) = 0;
  /// A row each document; `single`: what the only document is.
  virtual Array array(bool single) = 0;
};

std::unique_ptr<JsonTarget> discovering_target(const JsonNumbers& o);
/// TypeError for what is no schema of the kind that is known.
std::unique_ptr<JsonTarget> schema_target(const std::string& schema, const JsonNumbers& o);

/// Whether a string stands for a number.
class SpecialNumbers {
 public:
  explicit SpecialNumbers(const JsonNumbers& o);
  bool any() const { return any_; }
  bool find(std::string_view s, double& out) const;

 private:
  std::optional<std::string> nan_, posinf_, neginf_;
  bool any_;
};

/// ValueError: the two fields of what should be a complex number are none.
[[noreturn]] void fail_complex(const std::pair<std::string, std::string>& fields);

}  // namespace serrate::io
