// Seeing a value tree from a list space over the same domain: other bounds, the same positions.
#pragma once

#include "graph/ir.h"

namespace serrate::ops {

/// n is over `from` (rows, list or fixed); the result over `to`, a list or fixed space whose
/// positions are positions of from's domain. Loads stay loads: x[:, 1:3] moves nothing.
/// An item of `to` is the one of `from` that is `ahead` positions further on.
graph::NodeRef rebase_shift(const graph::NodeRef& n, const graph::SpaceRef& from,
                            const graph::SpaceRef& to, int64_t ahead = 0);

/// The same space kinds that rebase_shift takes: lists given by positions of a domain.
bool is_plain(const graph::SpaceRef& s);

}  // namespace serrate::ops
