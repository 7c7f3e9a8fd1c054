// The structure of value trees as a key: what plans are kept by.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "graph/ir.h"

namespace serrate::graph {

/// Everything that decides how trees are evaluated, and nothing else. Kinds, types and links are in
/// it by value; of buffers, lengths of rows and constants only which are equal, but for the few
/// constants whose value a plan may look at (is_structural). The objects of two sets of trees with
/// equal words correspond by number.
class Signature {
 public:
  explicit Signature(const std::vector<NodeRef>& roots);

  /// False for trees that are too large for it.
  bool is_complete() const { return !is_full_ && words_count_ <= kMaxWords; }
  std::span<const uint64_t> words() const { return {words_.data(), words_count_}; }
  uint64_t hash() const;
  /// The spaces and columns of the trees by number; number 0 is the unit space.
  std::span<const void* const> objects() const { return {objects_.data(), objects_count_}; }
  /// The number of an object, or -1.
  int find(const void* object) const;
  std::span<const Space* const> spaces() const { return {spaces_.data(), spaces_count_}; }
  /// Where the buffers are; nothing where there are none, or if they are on several devices.
  std::optional<Device> device() const { return is_mixed_ ? std::nullopt : device_; }
  bool is_mixed() const { return is_mixed_; }
  /// What else a plan depends on.
  void add(uint64_t fact) { put(fact); }

 private:
  static constexpr size_t kMaxObjects = 254, kMaxWords = 1024, kPlaces = 512;

  void add(const Node& n);
  uint64_t number(const Space* s);
  uint64_t number(const Column* c);
  uint64_t equal_loads(const Column& c);
  uint64_t equal_rows(const Space& s);
  uint64_t equal_constants(const Column& c);
  void put(uint64_t word) {
    if (words_count_ < kMaxWords) words_[words_count_] = word;
    words_count_++;
  }
  /// Where the number of an object is, or goes.
  size_t place(const void* p) const;
  uint64_t keep(const void* p);

  size_t objects_count_ = 0, words_count_ = 0, loads_count_ = 0, rows_count_ = 0;
  size_t constants_count_ = 0, spaces_count_ = 0;
  std::optional<Device> device_;
  bool is_full_ = false, is_mixed_ = false;
  std::array<uint8_t, kPlaces> table_{};  // by address: number + 1; 0 for none
  // What follows is filled as far as the counts say.
  std::array<const void*, kMaxObjects> objects_;
  std::array<const Column*, kMaxObjects> loads_;
  std::array<const Space*, kMaxObjects> rows_, spaces_;
  std::array<const Column*, kMaxObjects> constants_;
  std::array<uint64_t, kMaxWords> words_;
};

/// Small numbers, whose value plans may depend on: x ** 2, lists that begin at 0, x + 1. No other
/// constant's value may decide anything about a plan.
bool is_structural(const Scalar& s);

}  // namespace serrate::graph
