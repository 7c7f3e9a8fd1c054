// Sizes at which the code takes another way, which tests set tiny, and assertions of the back ends.
#pragma once

#include <cstdint>
#include <string>

namespace serrate {

/// One member for each row of seams.def.
struct Seams {
#define SEAM(name, value, smallest, what) int64_t name = value;
#include "core/seams.def"
#undef SEAM
};

/// Those of the process: SERRATE_SEAMS in the environment, read once. Sizes are looked at once a
/// run or a list, not once an item.
const Seams& seams();

/// `text`: "min", or a number that none is above, or "block=64,task=256", or several of these, the
/// last one counts. None becomes larger than it is by itself. ValueError for what is no seam.
Seams read_seams(const std::string& text);

/// SERRATE_ASSERT in the environment: gathers look at their indexes first.
bool asserting();

}  // namespace serrate
