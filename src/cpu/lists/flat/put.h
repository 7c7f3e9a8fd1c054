// Values written to places of numbers, or combined with what is there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "serrate/dtype.h"
#include "serrate/op.h"

namespace serrate::cpu {

struct PutArgs {
  DType type = DType::float64;
  int64_t size = 0;                 // of numbers, or of runs of them
  const int64_t* places = nullptr;  // below 0: counted from the end; null: from `first` on
  int64_t count = 0;
  int64_t first = 0, step = 1;
  const uint8_t* mask = nullptr;        // one value comes where it is not 0, of all numbers
  std::optional<Op> op = {};            // of the number and the value
  const void* values = nullptr;         // one for each number that is written
  DType value_type = type;              // of booleans: updates write whether a result is not 0
  bool is_one = false;                  // or one for all
  int64_t run = 1;                      // numbers that a place stands for; without op
  std::span<const int64_t> sizes = {};  // not empty: of a box of places from `first` on, which are
  std::span<const int64_t> strides = {};  // that far apart along each dimension; one value, no op
};

/// Writes one after the other, so that the last value stays where a place comes again, to what
/// `numbers` gives, which is asked once. False, and nothing is written, if a place is none or there
/// is no loop for the operation.
bool put(const PutArgs& of, const std::function<void*()>& numbers);

}  // namespace serrate::cpu
