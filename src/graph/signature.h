// The structure of value trees as a key: what plans are kept by.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

#include "core/inline_vector.h"
#include "graph/ir.h"

namespace serrate::graph {

/// Numbers things from 0 on; of each it knows the first one with the same key.
class FirstWithKey {
 public:
  using Key = std::array<uint64_t, 3>;
  static constexpr uint64_t kNone = 0xffff;

  /// The first thing that has this key, or kNone.
  uint64_t find(const Key& k) const {
    if (first_) return find_among_many(k);
    for (size_t i = 0; i < keys_.size(); i++) {
      const Key& known = keys_[i];  // compared in place: == is a call of memcmp
      if (known[0] == k[0] && known[1] == k[1] && known[2] == k[2]) return i;
    }
    return kNone;
  }
  /// The next thing has this key: the first one that has it.
  uint64_t add(const Key& k) {
    const uint64_t known = find(k), number = size();
    keys_.push_back(k);
    if (number >= kFew) add_to_many(k);
    return known == kNone ? number : known;
  }
  uint64_t size() const { return keys_.size(); }

 private:
  static constexpr size_t kFew = 32;  // these are compared one by one
  struct Hash {
    size_t operator()(const Key& k) const;
  };
  uint64_t find_among_many(const Key& k) const;
  void add_to_many(const Key& k);

  InlineVector<Key, kFew> keys_;
  std::unique_ptr<std::unordered_map<Key, uint64_t, Hash>> first_;  // of more
};

/// Loads in the order they are met: which of those before are from the same place, or beside it.
class LoadPlaces {
 public:
  struct Load {
    uint64_t address, bytes, type, item;  // empty memory: nobody's address
  };
  /// Numbers of the first ones from the same address, of the same memory, of the same type one item
  /// before and behind; those of the first and the same are this one's own if there is none.
  struct Relations {
    uint64_t first, same, before, behind;
  };
  Relations add(const Load& l);

 private:
  static constexpr size_t kFew = 32;  // these are looked through
  Relations among_few(const Load& l) const;
  Relations among_many(const Load& l);
  static FirstWithKey::Key place(const Load& l, uint64_t number);

  InlineVector<Load, kFew> few_;
  uint64_t size_ = 0;
  struct Many {
    FirstWithKey places, memory, types;
  };
  std::unique_ptr<Many> many_;  // once there are more
};

/// Of the words of a key.
uint64_t hash_of(std::span<const uint64_t> words);

/// Everything that decides how trees are evaluated, and nothing else. Kinds, types and links are in
/// it by value; of buffers, lengths of rows and constants only which are equal, but for the few
/// constants whose value a plan may look at (is_structural). The objects of two sets of trees with
/// equal words correspond by number.
class Signature {
 public:
  explicit Signature(const std::vector<NodeRef>& roots);

  /// False for trees that are too large for it.
  bool is_complete() const { return !is_full_; }
  std::span<const uint64_t> words() const { return words_; }
  uint64_t hash() const { return hash_of(words()); }
  /// The spaces and columns of the trees by number; number 0 is the unit space.
  std::span<const void* const> objects() const { return objects_; }
  /// Is this object a space? Else it is a column.
  bool is_space(const void* object) const;
  /// Calls f(number, space, null) or f(number, null, column) with each object but the unit space.
  template <class F>
  void each_object(F&& f) const {
    size_t next = 0;  // spaces have the order of objects
    for (size_t i = 1; i < objects_.size(); i++) {
      const auto number = static_cast<int>(i);
      if (next < spaces_.size() && objects_[i] == spaces_[next])
        f(number, spaces_[next++], static_cast<const Column*>(nullptr));
      else
        f(number, static_cast<const Space*>(nullptr), static_cast<const Column*>(objects_[i]));
    }
  }
  /// Of the largest buffer that a column reads.
  int64_t most_bytes() const {
    int64_t most = 0;
    each_object([&](int, const Space*, const Column* c) {
      if (c != nullptr && c->buffer.bytes() > most) most = c->buffer.bytes();
    });
    return most;
  }
  /// The number of an object, or -1.
  int find(const void* object) const { return table_[place(object)] - 1; }
  std::span<const Space* const> spaces() const { return spaces_; }
  std::span<const Column* const> constants() const { return constant_columns_; }
  /// Where the buffers are; nothing where there are none, or if they are on several devices.
  std::optional<Device> device() const { return is_mixed_ ? std::nullopt : device_; }
  bool is_mixed() const { return is_mixed_; }
  /// What else a plan depends on.
  void add(uint64_t fact) { words_.push_back(fact); }

 private:
  /// Columns and spaces are told by 16 bits.
  static constexpr size_t kMaxObjects = 0xfffe, kFew = 254, kFewPlaces = 512, kFewConstants = 32;

  void add(const Node& n);
  uint64_t number(const Space* s);
  uint64_t number(const Column* c);
  void add_load(const Column& c);
  void put(uint64_t word) { words_.push_back(word); }
  /// Where the number of an object is, or goes.
  size_t place(const void* p) const;
  uint64_t keep(const void* p);
  void grow_table();

  InlineVector<const void*, kFew> objects_;
  InlineVector<const Space*, kFew> spaces_;
  InlineVector<uint64_t, 4 * kFew> words_;
  // Numbers + 1 by address, 0 for none: a power of two of them, half of them empty.
  std::array<uint16_t, kFewPlaces> few_places_{};
  std::unique_ptr<uint16_t[]> many_places_;
  uint16_t* table_ = few_places_.data();
  size_t places_ = kFewPlaces;
  FirstWithKey rows_, constants_;
  LoadPlaces loads_;
  InlineVector<const Column*, kFewConstants> constant_columns_;
  std::optional<Device> device_;
  bool is_full_ = false, is_mixed_ = false;
};

/// Small numbers, whose value plans may depend on: x ** 2, lists that begin at 0, x + 1. No other
/// constant's value may decide anything about a plan.
bool is_structural(const Scalar& s);

}  // namespace serrate::graph
