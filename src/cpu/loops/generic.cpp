// Operations and moves that no instruction set has steps of its own for: plain loops, one item
// after the other.
#define SERRATE_ISA generic
#include "cpu/isa/rows.h"

namespace serrate::cpu {

using namespace generic;  // NOLINT: the scalar functions of the table's expressions

template <class F>
static void items(const Instruction* ip, char* const* mem, F one) {
  for (int i = 0; i < ip->items; i++) one(i);
  return next_loop(ip, mem);
}

template <Op O, class T>
static void run_row(const Instruction* ip, char* const* mem) {
  using Out = OutOf<O, T>;
  const T* x = reinterpret_cast<const T*>(mem[ip->a]);
  Out* out = reinterpret_cast<Out*>(mem[ip->out]);
  if constexpr (info(O).arity == 1) {
    return items(ip, mem, [=](int i) { out[i] = Out(Row<O>::of(x[i])); });
  } else {
    const auto* y = reinterpret_cast<const SecondOf<O, T>*>(mem[ip->b]);
    return items(ip, mem, [=](int i) { out[i] = Out(Row<O>::of(x[i], y[i])); });
  }
}

template <Op O, class T>
static Step row_step() {
  constexpr uint8_t kind = std::is_same_v<T, bool> ? kAcceptsBool
                           : std::is_integral_v<T> ? kAcceptsInteger
                                                   : kAcceptsFloating;
  // Wrapping integer arithmetic is every instruction set's own.
  constexpr bool wraps = std::is_integral_v<T> && (info(O).flags & kWraps);
  if constexpr ((info(O).accepts & kind) && info(O).arity < 3 && !wraps)
    return as_step(&run_row<O, T>);
  else
    return nullptr;
}

template <class T>
static Step find_row(Op op) {
  return [op]<size_t... O>(std::index_sequence<O...>) {
    Step found = nullptr;
    ((size_t(op) == O ? (found = row_step<Op(O), T>(), true) : false) || ...);
    return found;
  }
  (std::make_index_sequence<kOpCount>());
}

Step generic_loop(Op op, DType type) {
  switch (type) {
    case DType::boolean:
      return find_row<bool>(op);
    case DType::int8:
      return find_row<int8_t>(op);
    case DType::int16:
      return find_row<int16_t>(op);
    case DType::int32:
      return find_row<int32_t>(op);
    case DType::int64:
      return find_row<int64_t>(op);
    case DType::uint8:
      return find_row<uint8_t>(op);
    case DType::uint16:
      return find_row<uint16_t>(op);
    case DType::uint32:
      return find_row<uint32_t>(op);
    case DType::uint64:
      return find_row<uint64_t>(op);
    case DType::float32:
      return find_row<float>(op);
    case DType::float64:
      return find_row<double>(op);
    default:
      return nullptr;
  }
}

struct Wide {
  uint64_t parts[2];
};

template <class T>
static void copy(const Instruction* ip, char* const* mem) {
  memmove(mem[ip->out], mem[ip->a], sizeof(T) * size_t(ip->items));
  return next_loop(ip, mem);
}

template <class T, class I>
static void gather(const Instruction* ip, char* const* mem) {
  const T* from = reinterpret_cast<const T*>(mem[ip->a]);
  const I* index = reinterpret_cast<const I*>(mem[ip->b]);
  T* out = reinterpret_cast<T*>(mem[ip->out]);
  return items(ip, mem, [=](int i) { out[i] = from[index[i]]; });
}

template <class T>
static void where(const Instruction* ip, char* const* mem) {
  const bool* choose = reinterpret_cast<const bool*>(mem[ip->a]);
  const T* x = reinterpret_cast<const T*>(mem[ip->b]);
  const T* y = reinterpret_cast<const T*>(mem[ip->c]);
  T* out = reinterpret_cast<T*>(mem[ip->out]);
  return items(ip, mem, [=](int i) { out[i] = choose[i] ? x[i] : y[i]; });
}

Step generic_copy(int log2_size) {
  return log2_size == 3 ? as_step(&copy<uint64_t>) : as_step(&copy<Wide>);
}

Step generic_gather(int log2_size, DType index_type) {
  if (index_type == DType::int32)
    return log2_size == 3 ? as_step(&gather<uint64_t, int32_t>) : as_step(&gather<Wide, int32_t>);
  return log2_size == 3 ? as_step(&gather<uint64_t, int64_t>) : as_step(&gather<Wide, int64_t>);
}

Step generic_where(int) { return as_step(&where<Wide>); }

}  // namespace serrate::cpu
