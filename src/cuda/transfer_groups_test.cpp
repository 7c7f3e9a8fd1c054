// Transfers through chunks arrive as they are.
#include "cuda/transfer_groups.h"

#include <cstring>
#include <numeric>

#include "catch.h"

namespace serrate::cuda {

// Copied to chunks part by part, and out of them group by group, all bytes are where they belong.
TEST_CASE("transfers go through chunks") {
  for (const int64_t chunk : {64, 128, 1024}) {
    for (const int64_t part : {64, 128, 4096}) {
      for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{},
                                                {0},
                                                {1},
                                                {63, 64, 65},
                                                {1000, 0, 1},
                                                {5000},
                                                {64, 64, 64, 1}}) {
        CAPTURE(chunk, part, sizes);
        std::vector<std::vector<std::byte>> from, to;
        std::vector<Transfer> all;
        for (const int64_t n : sizes) {
          auto& f = from.emplace_back(static_cast<size_t>(n));
          auto& t = to.emplace_back(static_cast<size_t>(n));
          for (size_t i = 0; i < f.size(); ++i) f[i] = static_cast<std::byte>(i * 7 + f.size());
          all.push_back({t.data(), f.data(), n});
        }
        const TransferGroups cut = cut_transfers(all, chunk, part);
        std::vector<std::byte> memory(static_cast<size_t>(chunk));
        int64_t parts = 0;
        for (int64_t g = 0; g < std::ssize(cut.groups); ++g) {
          const TransferGroups::Group& group = cut.groups[static_cast<size_t>(g)];
          REQUIRE(group.first_part == parts);
          for (int64_t k = 0; k < group.parts; ++k, ++parts) {
            const Piece& p = cut.parts[static_cast<size_t>(parts)];
            REQUIRE(p.group == g);
            REQUIRE(p.bytes.bytes > 0);
            REQUIRE(p.bytes.bytes <= part);
            REQUIRE(p.at + p.bytes.bytes <= chunk);
            std::memcpy(memory.data() + p.at, p.bytes.from, static_cast<size_t>(p.bytes.bytes));
          }
          for (const Piece& p : cut.copies_of(g)) {
            REQUIRE(p.at % kPieceAlignment == 0);
            std::memcpy(p.bytes.to, memory.data() + p.at, static_cast<size_t>(p.bytes.bytes));
          }
        }
        REQUIRE(parts == std::ssize(cut.parts));
        REQUIRE(from == to);
        // Chunks are full, but for the first ones and the last one.
        const int64_t bytes =
            std::accumulate(sizes.begin(), sizes.end(), int64_t{0},
                            [](int64_t sum, int64_t n) { return sum + aligned_size(n); });
        int64_t groups = 0, room = std::min(part, chunk);
        for (int64_t left = bytes; left > 0; ++groups) {
          left -= room;
          room = std::min(2 * room, chunk);
        }
        REQUIRE(std::ssize(cut.groups) == groups);
      }
    }
  }
}

}  // namespace serrate::cuda
