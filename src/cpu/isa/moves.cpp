// Steps that move items between memory and the accumulator; they need to know only the size of an
// item.
#include "cpu/isa/vec.h"

namespace serrate::cpu::SERRATE_ISA {

template <class T, class R = Registers<T>>
struct Moves;
template <class T, size_t... R>
struct Moves<T, std::index_sequence<R...>> {
  using Acc = AccOf<T>;
  template <size_t>
  using V = Vec<T>;

  static void load_block(const Instruction* ip, char* const* mem) {
    return Acc::next_from(ip, mem, mem[ip->a]);
  }
  static void load_one(const Instruction* ip, char* const* mem) {
    const Vec<T> x = splat<T>(mem[ip->a]);
    return Acc::next(ip, mem, (void(R), x)...);
  }
  static void save_block(const Instruction* ip, char* const* mem, V<R>... v) {
    char* p = mem[ip->out];
    (save(p + R * kBytes, v), ...);
    return Acc::next(ip, mem, v...);
  }
  static void stream_block(const Instruction* ip, char* const* mem, V<R>... v) {
    char* p = mem[ip->out];
    (stream(p + R * kBytes, v), ...);
    return Acc::next(ip, mem, v...);
  }
  template <class I>
  static Vec<T> gather_one(const T* from, const I* index) {
    return [&]<size_t... L>(std::index_sequence<L...>) { return Vec<T>{from[index[L]]...}; }
    (std::make_index_sequence<kLanes<T>>());
  }
  template <class I>
  static void gather(const Instruction* ip, char* const* mem) {
    const T* from = reinterpret_cast<const T*>(mem[ip->a]);
    const I* index = reinterpret_cast<const I*>(mem[ip->b]);
    return Acc::next(ip, mem, gather_one(from, index + R * kLanes<T>)...);
  }
};

static void end(const Instruction*, char* const*) {}

#define EACH(f)                                                                            \
  as_step(&Moves<uint8_t>::f), as_step(&Moves<uint16_t>::f), as_step(&Moves<uint32_t>::f), \
      as_step(&Moves<uint64_t>::f)
extern const MoveSteps moves;
const MoveSteps moves = {{EACH(load_block)},   {EACH(load_one)},        {EACH(save_block)},
                         {EACH(stream_block)}, {EACH(gather<int32_t>)}, {EACH(gather<int64_t>)},
                         as_step(&end)};

}  // namespace serrate::cpu::SERRATE_ISA
