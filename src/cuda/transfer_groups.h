// Transfers between host and GPU, cut for chunks of pinned memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuda/device.h"

namespace serrate::cuda {

/// Bytes of a transfer, and where they are in the chunk that they go through.
struct Piece {
  Transfer bytes;
  int64_t at = 0, group = 0;
};

/// A group goes through a chunk by itself: a copy over the bus for each transfer that has bytes in
/// it. Between the chunk and the host's memory they are copied in parts, which threads share.
struct TransferGroups {
  struct Group {
    int64_t first_copy = 0, copies = 0, first_part = 0, parts = 0;
  };
  std::vector<Piece> copies, parts;
  std::vector<Group> groups;

  std::span<const Piece> copies_of(int64_t group) const {
    const Group& g = groups[static_cast<size_t>(group)];
    return std::span(copies).subspan(static_cast<size_t>(g.first_copy),
                                     static_cast<size_t>(g.copies));
  }
};

/// Addresses in chunks are multiples of this.
inline constexpr int64_t kPieceAlignment = 64;

inline int64_t aligned_size(int64_t bytes) {
  return (bytes + kPieceAlignment - 1) / kPieceAlignment * kPieceAlignment;
}

/// Groups that fill chunks of this size one after the other; the first ones are smaller, from one
/// part on, so that the bus need not wait for them. Sizes are multiples of the alignment.
inline TransferGroups cut_transfers(std::span<const Transfer> all, int64_t chunk, int64_t part) {
  TransferGroups out;
  int64_t used = 0, room = 0;
  const auto piece = [&](const Transfer& t, int64_t from, int64_t bytes, int64_t at) {
    return Piece{
        {static_cast<std::byte*>(t.to) + from, static_cast<const std::byte*>(t.from) + from, bytes},
        at,
        static_cast<int64_t>(out.groups.size()) - 1};
  };
  for (const Transfer& t : all) {
    for (int64_t from = 0; from < t.bytes;) {
      if (used >= room) {
        room = room == 0 ? std::min(part, chunk) : std::min(2 * room, chunk);
        out.groups.push_back({static_cast<int64_t>(out.copies.size()), 0,
                              static_cast<int64_t>(out.parts.size()), 0});
        used = 0;
      }
      TransferGroups::Group& g = out.groups.back();
      const int64_t bytes = std::min(room - used, t.bytes - from);
      out.copies.push_back(piece(t, from, bytes, used));
      g.copies++;
      for (int64_t begin = 0; begin < bytes; begin += part, g.parts++)
        out.parts.push_back(piece(t, from + begin, std::min(part, bytes - begin), used + begin));
      from += bytes;
      used += aligned_size(bytes);
    }
  }
  return out;
}

}  // namespace serrate::cuda
