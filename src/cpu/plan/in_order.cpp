// What the tasks of a walk append, put in its place: see in_order.h.
#include "cpu/plan/in_order.h"

#include <algorithm>
#include <utility>

#include "cpu/machine/pool.h"

namespace serrate::cpu {

InOrder::InOrder(std::vector<Grow*> whole, int64_t tasks)
    : whole_(std::move(whole)),
      parts_(static_cast<size_t>(tasks)),
      most_(whole_.size()),
      mine_(static_cast<size_t>(num_threads())) {
  for (const Grow* w : whole_) totals_.push_back(w->size());
}

std::vector<Grow>& InOrder::parts_of(int64_t task) {
  std::vector<Grow>& outputs = parts_[static_cast<size_t>(task)].outputs;
  for (const Grow* w : whole_) outputs.emplace_back(w->item(), -1, 0);
  std::unique_lock<std::mutex> hold(lock_);
  const std::vector<int64_t> most = most_;
  hold.unlock();
  for (size_t o = 0; o < outputs.size(); o++)
    if (most[o] > 0) outputs[o].make_room(most[o]);
  return outputs;
}

void InOrder::ended(int64_t task, int worker) {
  if (whole_.empty()) return;
  auto& mine = mine_[static_cast<size_t>(worker)];
  mine.push_back(task);
  int64_t known;
  {
    std::lock_guard<std::mutex> hold(lock_);
    Part& part = parts_[static_cast<size_t>(task)];
    part.has_ended = true;
    for (size_t o = 0; o < whole_.size(); o++)
      most_[o] = std::max(most_[o], part.outputs[o].size() / 8 * 9);
    find_begins();
    known = known_;
  }
  std::erase_if(mine, [&](int64_t t) {
    if (t < known) copy(parts_[static_cast<size_t>(t)]);
    return t < known;
  });
}

// Of the tasks that ended without a gap; room is made once, as nothing can be moved while it is
// being written.
void InOrder::find_begins() {
  while (known_ < std::ssize(parts_)) {
    Part& part = parts_[static_cast<size_t>(known_)];
    if (!part.has_ended) return;
    bool fits = true;
    for (size_t o = 0; o < whole_.size(); o++) {
      const int64_t n = part.outputs[o].size();
      // As if all others were like the first, and a quarter more.
      if (known_ == 0) whole_[o]->make_room(totals_[o] + n * std::ssize(parts_) / 4 * 5);
      fits &= totals_[o] + n <= whole_[o]->room();
    }
    if (!fits) return;
    for (size_t o = 0; o < whole_.size(); o++)
      part.begins.push_back(std::exchange(totals_[o], totals_[o] + part.outputs[o].size()));
    known_++;
  }
}

void InOrder::copy(Part& part) {
  for (size_t o = 0; o < whole_.size(); o++)
    whole_[o]->put(part.begins[o], std::exchange(part.outputs[o], Grow()));
}

void InOrder::finish() {
  std::vector<int64_t> left;
  for (auto& tasks : mine_) left.insert(left.end(), tasks.begin(), tasks.end());
  for (; known_ < std::ssize(parts_); known_++) {  // what there was no room for, or came late
    Part& part = parts_[static_cast<size_t>(known_)];
    for (size_t o = 0; o < whole_.size(); o++)
      part.begins.push_back(std::exchange(totals_[o], totals_[o] + part.outputs[o].size()));
  }
  for (size_t o = 0; o < whole_.size(); o++) whole_[o]->set_size(totals_[o]);
  parallel_for(std::ssize(left), [&](int64_t i, int) {
    copy(parts_[static_cast<size_t>(left[static_cast<size_t>(i)])]);
  });
}

}  // namespace serrate::cpu
