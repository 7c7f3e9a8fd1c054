// What belongs to each of some objects, by address: looked through while they are few.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace serrate {

template <class T>
class PointerMap {
 public:
  /// Null if there is nothing. Valid until the next one is set.
  T* find(const void* p) {
    if (entries_.size() <= kFew) {
      for (auto& [key, value] : entries_) {
        if (key == p) return &value;
      }
      return nullptr;
    }
    const auto place = places_.find(p);
    return place == places_.end() ? nullptr : &entries_[place->second].second;
  }

  /// Of an object that has nothing yet.
  T& set(const void* p, T value) {
    entries_.emplace_back(p, std::move(value));
    if (entries_.size() == kFew + 1) {
      for (size_t i = 0; i < kFew; i++) places_.emplace(entries_[i].first, i);
    }
    if (entries_.size() > kFew) places_.emplace(p, entries_.size() - 1);
    return entries_.back().second;
  }

 private:
  static constexpr size_t kFew = 24;
  std::vector<std::pair<const void*, T>> entries_;
  std::unordered_map<const void*, size_t> places_;
};

}  // namespace serrate
