// Looking names up in long lists of names: see name_index.h.
#include "core/types/name_index.h"

#include <iterator>
#include <unordered_map>

namespace serrate {
namespace {

class NameIndex {
 public:
  using Index = std::unordered_map<std::string_view, int64_t>;

  const Index& of(const std::shared_ptr<const void>& owner, std::span<const std::string> names) {
    for (const Kept& k : kept_)
      if (!k.owner.owner_before(owner) && !owner.owner_before(k.owner)) return k.index;
    Kept& k = kept_[next_++ % std::size(kept_)];
    k = {owner, {}};
    k.index.reserve(names.size());
    for (size_t i = 0; i < names.size(); i++)
      k.index.try_emplace(names[i], static_cast<int64_t>(i));
    return k.index;
  }

 private:
  struct Kept {
    std::weak_ptr<const void> owner;  // no other one can be taken for it, even when it is gone
    Index index;
  };
  Kept kept_[4];
  size_t next_ = 0;
};

}  // namespace

int64_t index_of_name(const std::shared_ptr<const void>& owner, std::span<const std::string> names,
                      std::string_view name) {
  constexpr size_t kFew = 32;  // are compared as fast
  if (names.size() > kFew) {
    static thread_local NameIndex known;
    const auto& index = known.of(owner, names);
    const auto found = index.find(name);
    return found == index.end() ? -1 : found->second;
  }
  for (size_t i = 0; i < names.size(); i++) {
    if (names[i] == name) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace serrate
