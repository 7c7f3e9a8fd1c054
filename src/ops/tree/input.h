// What the operations share: reading operands and making results.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/ir.h"
#include "ops/tree/contents.h"
#include "serrate/array.h"

namespace serrate::ops {

/// The operand's tree. Evaluates it first where expressions have grown so high that the next
/// operations on it would pass `seams().height`: a loop of x = x + 1 may run as long as it likes.
graph::NodeRef input(const Array& a);

/// The same for an operation that takes items many times: evaluates it first where each time lists
/// would be reduced again.
graph::NodeRef repeated_input(const Array& a);

/// The same for an operation that takes each item several times, in walks one after the other:
/// evaluates it first where it is worth it (see are_worth_storing) and nothing may be found wrong.
/// Few walks read items of stored memory, wherever their lists are, as fast as a copy is made.
enum class Walks : uint8_t { few, many };
graph::NodeRef stored_input(const Array& a, Walks walks);

/// Is one of these an expression over many items that had better be evaluated now, on the CPU, as
/// what follows costs more item by item than of stored ones? All must be one column each, of no
/// more items than are read bytes: what repeats little is not stored. What is traced is left, as it
/// must fit other data, and what reads absent columns.
bool are_worth_storing(const std::vector<graph::NodeRef>& nodes);

/// A single value that is a list or missing (x[0] of an option[var * T] array): looks which, so
/// that users hold an array where there is one. Other values are passed on unevaluated.
Array settle_missing(const Array& a);

/// The operands' trees. Where one is on the GPU, single values with buffers (strings) go there too:
/// they are literals of the expression.
std::vector<graph::NodeRef> inputs(std::span<const Array> operands);
inline std::vector<graph::NodeRef> inputs(std::initializer_list<Array> operands) {
  return inputs(std::span(operands.begin(), operands.size()));
}

/// A list level that is not a string.
bool is_list(const graph::Node& n);

/// The leaf column of a constant scalar of Python or C++ ("weak": takes the other operand's type).
bool is_weak_scalar(const graph::Node& n);

/// The same text at every position of a space, on the device of `like` (a tree; of the space itself
/// where there is none).
graph::NodeRef constant_string(const graph::SpaceRef& space, std::string_view text,
                               const graph::NodeRef& like = {});

/// The tree with each leaf and string (over the space given) replaced; the structure stays.
graph::NodeRef map_leaves(const graph::SpaceRef& space, const graph::NodeRef& n, const NodeMap& f);

/// Records, named fields of, at any depth. FieldError where `name` is not a field of all.
graph::NodeRef get_field(const graph::SpaceRef& space, const graph::NodeRef& n,
                         const std::string& name);

/// f of the outermost records in their place; the lists around them lose their parameters, as in
/// Awkward. FieldError that speaks of the field `name` where something else than records is.
graph::NodeRef at_records(const graph::SpaceRef& space, const graph::NodeRef& n,
                          std::string_view name, const NodeMap& f);

/// Is there such a field, in all members of unions?
bool has_field(const graph::Node& n, std::string_view name);
/// A field that there is.
graph::NodeRef field_of(const graph::SpaceRef& space, const graph::NodeRef& n,
                        std::string_view name);
/// A field, or null where has_field() is false.
graph::NodeRef find_field(const graph::SpaceRef& space, const graph::NodeRef& n,
                          std::string_view name);

/// Does it hold records, outside of categories?
bool has_records(const graph::Node& n);

/// fields() of a tree: those of its records; those that all members of a union have.
std::vector<std::string> field_names(const graph::Node& n);

}  // namespace serrate::ops
