// The kernel table per instruction set, and what about folds needs no vectors: types and
// identities.
#include "cpu/lists/ragged.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu/machine/isa_table.h"
#include "cpu/machine/scratch.h"
#include "cpu/program/program.h"
#include "serrate/error.h"

namespace serrate::cpu {

// The entry points of src/cpu/isa, once per instruction set.
#define SERRATE_DECLARE(isa)                          \
  namespace isa {                                     \
  void add_offset_kernels(RaggedKernels& table);      \
  void add_expand_kernels(RaggedKernels& table);      \
  void add_copy_kernels(RaggedKernels& table);        \
  void add_combination_kernels(RaggedKernels& table); \
  void add_cartesian_kernels(RaggedKernels& table);   \
  void add_select_kernels(RaggedKernels& table);      \
  void add_fold_kernels(RaggedKernels& table);        \
  void add_histogram_kernels(RaggedKernels& table);   \
  void add_check_kernels(RaggedKernels& table);       \
  static RaggedKernels make_table() {                 \
    RaggedKernels table{};                            \
    add_offset_kernels(table);                        \
    add_expand_kernels(table);                        \
    add_copy_kernels(table);                          \
    add_combination_kernels(table);                   \
    add_cartesian_kernels(table);                     \
    add_select_kernels(table);                        \
    add_fold_kernels(table);                          \
    add_histogram_kernels(table);                     \
    add_check_kernels(table);                         \
    return table;                                     \
  }                                                   \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

const RaggedKernels& ragged(Isa isa) {
  check<ValueError>(isa_available(isa), "instruction set {} is not available on this CPU",
                    name(isa));
#define SERRATE_CASE(isa) SERRATE_RETURN_TABLE(isa, make_table)
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) }
#undef SERRATE_CASE
  throw ValueError("no such instruction set");
}

const RaggedKernels& ragged() {
  static const RaggedKernels& best = ragged(best_isa());
  return best;
}

bool can_fold(Reducer reducer, DType values) {
  if (reducer == Reducer::count) return true;
  if (values == DType::float16 || !is_defined(reducer, values)) return false;
  return !(info(reducer).is_extreme() && is_complex(values));
}

void fill_identity(Reducer reducer, DType values, void* acc, int64_t* index, int64_t count) {
  if (index) std::fill_n(index, count, int64_t{-1});
  DType t = state_type(reducer, values);
  if (t == DType::float16) throw TypeError("float16 is reduced as float32");
  if (is_time(t)) t = DType::int64;
  std::byte one[16] = {};
  store_scalar(identity(reducer, t), one);
  const auto fill = [&]<class Word>(Word word) {
    std::memcpy(&word, one, sizeof word);
    std::fill_n(static_cast<Word*>(acc), count, word);
  };
  switch (itemsize(t)) {
    case 1:
      return fill(uint8_t{});
    case 2:
      return fill(uint16_t{});
    case 4:
      return fill(uint32_t{});
    case 8:
      return fill(uint64_t{});
    default:
      return fill(std::array<uint64_t, 2>{});
  }
}

void fold_wide_sum(const FoldArgs& args) {
  constexpr int64_t kShort = 8;
  const int64_t n = args.lists > 0 ? args.off[args.lists] : 0;
  if (n >= kShort * args.lists) return ragged().wide_sum(args, nullptr);
  ScratchScope scratch;
  ragged().wide_sum(args, scratch.get<double>(static_cast<size_t>(n)));
}

int64_t lists_within(IndexType type, const void* offsets, int64_t lists, int64_t items) {
  const auto search = [&](const auto* first) {
    const int64_t end = static_cast<int64_t>(first[0]) + items;
    const auto* found = std::upper_bound(
        first + 1, first + lists + 1, end,
        [](int64_t bound, auto offset) { return bound < static_cast<int64_t>(offset); });
    return static_cast<int64_t>(found - first) - 1;
  };
  switch (type) {
    case IndexType::i32:
      return search(static_cast<const int32_t*>(offsets));
    case IndexType::u32:
      return search(static_cast<const uint32_t*>(offsets));
    case IndexType::i64:
      break;
  }
  return search(static_cast<const int64_t*>(offsets));
}

}  // namespace serrate::cpu
