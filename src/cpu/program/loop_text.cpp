// Programs and calls as a loop in LLVM's text: see loop_text.h.
#include "cpu/program/loop_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace serrate::cpu {

namespace {

/// Types that values have; null for those that are not taken.
const char* value_type(DType t) {
  constexpr const char* types[] = {"i1",    "i8",    "i16",   "i32",   "i64",   "i8",
                                   "i16",   "i32",   "i64",   nullptr, "float", "double",
                                   nullptr, nullptr, nullptr, nullptr};
  return types[static_cast<int>(t)];
}

/// The same in memory, where booleans are bytes.
const char* stored_type(DType t) { return t == DType::boolean ? "i8" : value_type(t); }

bool is_float(DType t) { return t == DType::float32 || t == DType::float64; }

/// The condition of a comparison, as icmp and fcmp have it; empty for other operations.
std::string_view condition(Op op, DType t) {
  const bool real = is_float(t), has_sign = is_signed_integer(t);
  const auto order = [&](std::string_view f, std::string_view s, std::string_view u) {
    return real ? f : has_sign ? s : u;
  };
  switch (op) {
    case Op::equal:
      return order("oeq", "eq", "eq");
    case Op::not_equal:
      return order("une", "ne", "ne");
    case Op::less:
      return order("olt", "slt", "ult");
    case Op::less_equal:
      return order("ole", "sle", "ule");
    case Op::greater:
      return order("ogt", "sgt", "ugt");
    case Op::greater_equal:
      return order("oge", "sge", "uge");
    default:
      return {};
  }
}

/// Operations of numbers that are one instruction of two values.
std::string_view arithmetic(Op op, bool real) {
  switch (op) {
    case Op::add:
      return real ? "fadd" : "add";
    case Op::subtract:
      return real ? "fsub" : "sub";
    case Op::multiply:
    case Op::square:
      return real ? "fmul" : "mul";
    case Op::divide:
      return real ? "fdiv" : "";
    default:
      return {};
  }
}

std::string_view logic(Op op) {
  return op == Op::logical_and ? "and" : op == Op::logical_or ? "or" : "xor";
}

bool can_say(Op op, DType t) {
  if (value_type(t) == nullptr) return false;
  switch (op) {
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
    case Op::logical_not:
    case Op::where:
    case Op::equal:
    case Op::not_equal:
      return true;
    case Op::sqrt:
    case Op::fabs:
    case Op::isnan:
      return is_float(t);
    case Op::absolute:
      return is_float(t);
    case Op::negative:
      return t != DType::boolean;
    default:
      return t != DType::boolean &&
             (!condition(op, t).empty() || !arithmetic(op, is_float(t)).empty());
  }
}

/// Numbers become integers by rules of ours where they have no room: not here.
bool can_cast(DType from, DType to) {
  if (value_type(from) == nullptr || value_type(to) == nullptr) return false;
  return !is_float(from) || is_float(to) || to == DType::boolean;
}

}  // namespace

bool LoopText::can_say(const ProgramBuilder& p) {
  using Kind = ProgramBuilder::Kind;
  return std::ranges::all_of(p.nodes_, [&](const ProgramBuilder::Node& n) {
    if (value_type(n.type) == nullptr || n.kind == Kind::gather) return false;
    if (n.kind == Kind::cast) return can_cast(p.type(n.args[0]), n.type);
    if (n.kind != Kind::op) return true;
    if (n.op == Op::where && p.type(n.args[0]) != DType::boolean) return false;
    return serrate::cpu::can_say(n.op, p.type(n.args[n.op == Op::where ? 1 : 0]));
  });
}

std::string LoopText::let(const std::string& what) {
  const std::string v = fresh();
  body_ += fmt::format("  {} = {}\n", v, what);
  return v;
}

std::string LoopText::address(int slot) {
  auto at = std::ranges::find(slots_, slot);
  if (at == slots_.end()) {
    const auto i = slots_.size();
    entry_ += fmt::format("  %q{0} = getelementptr ptr, ptr %inputs, i64 {0}\n", i);
    entry_ += fmt::format("  %p{0} = load ptr, ptr %q{0}\n", i);
    at = slots_.insert(slots_.end(), slot);
  }
  return "%p" + std::to_string(at - slots_.begin());
}

LoopText::Item LoopText::loaded(DType t, int slot) {
  if (const auto known = items_.find(slot); known != items_.end()) return known->second;
  const char* type = stored_type(t);
  const std::string at = let(fmt::format("getelementptr {}, ptr {}, i64 %k", type, address(slot)));
  std::string v = let(fmt::format("load {}, ptr {}, align 1, !llvm.access.group !0", type, at));
  if (t == DType::boolean) v = let(fmt::format("icmp ne i8 {}, 0", v));
  return items_[slot] = {v, t};
}

LoopText::Item LoopText::scalar(DType t, int slot) {
  if (const auto known = items_.find(slot); known != items_.end()) return known->second;
  if (const auto known = ones_.find(slot); known != ones_.end()) return known->second;
  const std::string v = fresh(), from = address(slot);
  entry_ += fmt::format("  {} = load {}, ptr {}, align 1\n", v, stored_type(t), from);
  std::string value = v;
  if (t == DType::boolean) {
    value = fresh();
    entry_ += fmt::format("  {} = icmp ne i8 {}, 0\n", value, v);
  }
  return ones_[slot] = {value, t};
}

LoopText::Item LoopText::iota(int slot) {
  const Item first = scalar(DType::int64, slot);
  return {let(fmt::format("add i64 {}, %k", first.value)), DType::int64};
}

/// x != 0
std::string LoopText::truth(const Item& x) {
  if (x.type == DType::boolean) return x.value;
  const bool real = is_float(x.type);
  return let(fmt::format("{} {} {}, {}", real ? "fcmp une" : "icmp ne", value_type(x.type), x.value,
                         real ? "0.0" : "0"));
}

LoopText::Item LoopText::cast(const Item& x, DType to) {
  if (x.type == to) return x;
  if (to == DType::boolean) return {truth(x), to};
  const bool from_real = is_float(x.type), to_real = is_float(to);
  const bool has_sign = is_signed_integer(x.type);
  const int have = x.type == DType::boolean ? 0 : itemsize(x.type), want = itemsize(to);
  std::string_view how;
  if (from_real)
    how = have < want ? "fpext" : "fptrunc";
  else if (to_real)
    how = has_sign ? "sitofp" : "uitofp";
  else if (have == want)
    return {x.value, to};  // the same bits
  else
    how = have > want ? "trunc" : has_sign ? "sext" : "zext";
  return {let(fmt::format("{} {} {} to {}", how, value_type(x.type), x.value, value_type(to))), to};
}

LoopText::Item LoopText::operation(Op op, DType result, std::span<const Item> args) {
  const DType t = args[op == Op::where ? 1 : 0].type;
  const char* type = value_type(t);
  const bool real = is_float(t);
  const std::string& x = args[0].value;
  switch (op) {
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor: {
      const std::string a = truth(args[0]), b = truth(args[1]);
      return {let(fmt::format("{} i1 {}, {}", logic(op), a, b)), result};
    }
    case Op::logical_not:
      return {let(fmt::format("xor i1 {}, true", truth(args[0]))), result};
    case Op::where:
      return {let(fmt::format("select i1 {0}, {1} {2}, {1} {3}", x, type, args[1].value,
                              args[2].value)),
              result};
    case Op::sqrt:
    case Op::fabs:
    case Op::absolute:
      return {
          let(fmt::format("call {0} @llvm.{1}.{2}({0} {3})", type, op == Op::sqrt ? "sqrt" : "fabs",
                          t == DType::float32 ? "f32" : "f64", x)),
          result};
    case Op::isnan:
      return {let(fmt::format("fcmp uno {} {}, 0.0", type, x)), result};
    case Op::negative:
      return {let(real ? fmt::format("fneg {} {}", type, x) : fmt::format("sub {} 0, {}", type, x)),
              result};
    default:
      break;
  }
  const std::string& y = args[op == Op::square ? 0 : 1].value;
  const std::string_view compare = condition(op, t);
  if (!compare.empty())
    return {let(fmt::format("{} {} {} {}, {}", real ? "fcmp" : "icmp", compare, type, x, y)),
            result};
  return {let(fmt::format("{} {} {}, {}", arithmetic(op, real), type, x, y)), result};
}

void LoopText::add(const ProgramBuilder& p) {
  using Kind = ProgramBuilder::Kind;
  std::vector<Item> values;
  // Loads of what is stored below are of what was there before: none are.
  for (const ProgramBuilder::Node& n : p.nodes_) {
    const auto arg = [&](int i) { return values[static_cast<size_t>(n.args[i])]; };
    if (n.kind == Kind::load) {
      values.push_back(loaded(n.type, n.args[0]));
    } else if (n.kind == Kind::scalar) {
      values.push_back(scalar(n.type, n.args[0]));
    } else if (n.kind == Kind::iota) {
      values.push_back(iota(n.args[0]));
    } else if (n.kind == Kind::cast) {
      values.push_back(cast(arg(0), n.type));
    } else {
      std::vector<Item> args;
      for (int i = 0; i < info(n.op).arity; i++) args.push_back(arg(i));
      values.push_back(operation(n.op, n.type, args));
    }
  }
  for (const ProgramBuilder::Store& s : p.stores_) {
    items_[s.slot] = values[static_cast<size_t>(s.value)];
    written_.push_back(s.slot);
  }
}

void LoopText::add(const Function& f, std::span<const int> inputs, int where,
                   std::span<const int> outputs) {
  functions_[f.item_name] = f.item_code;
  const std::string number = std::to_string(count_++);
  std::string fields, given;
  for (const DType t : f.outputs())
    fields += fmt::format("{}{}", fields.empty() ? "" : ", ", stored_type(t));
  const std::string results = fmt::format("{{ {} }}", fields);
  entry_ += fmt::format("  %r{} = alloca {}\n", number, results);
  for (size_t i = 0; i < inputs.size(); i++) {
    const Item x = loaded(f.arguments[i], inputs[i]);
    std::string v = x.value;
    if (x.type == DType::boolean) v = let(fmt::format("zext i1 {} to i8", v));
    given += fmt::format(", {} {}", stored_type(x.type), v);
  }
  const std::string before = label_;
  if (where >= 0) {
    const Item there = loaded(DType::boolean, where);
    body_ += fmt::format("  br i1 {}, label %call{}, label %after{}\ncall{}:\n", there.value,
                         number, number, number);
  }
  let(fmt::format("call i32 @{}(ptr %r{}, ptr null{})", f.item_name, number, given));
  std::vector<std::string> values;
  for (size_t i = 0; i < outputs.size(); i++) {
    const char* type = stored_type(f.outputs()[i]);
    const std::string at =
        let(fmt::format("getelementptr {}, ptr %r{}, i32 0, i32 {}", results, number, i));
    values.push_back(let(fmt::format("load {}, ptr {}", type, at)));
  }
  if (where >= 0) {
    body_ += fmt::format("  br label %after{}\nafter{}:\n", number, number);
    label_ = "after" + number;
  }
  for (size_t i = 0; i < outputs.size(); i++) {
    const DType t = f.outputs()[i];
    const char *type = stored_type(t), *zero = is_float(t) ? "0.0" : "0";
    if (where >= 0)
      values[i] = let(fmt::format("phi {} [ {}, %call{} ], [ {}, %{} ]", type, values[i], number,
                                  zero, before));
  }
  for (size_t i = 0; i < outputs.size(); i++) {
    const DType t = f.outputs()[i];
    if (t == DType::boolean) values[i] = let(fmt::format("icmp ne i8 {}, 0", values[i]));
    items_[outputs[i]] = {values[i], t};
    written_.push_back(outputs[i]);
  }
}

LoopText::Loop LoopText::finish(const std::function<bool(int slot)>& is_stored) && {
  for (const int slot : written_) {
    if (!is_stored(slot)) continue;
    const Item x = items_[slot];
    std::string v = x.value;
    if (x.type == DType::boolean) v = let(fmt::format("zext i1 {} to i8", v));
    const char* type = stored_type(x.type);
    const std::string at =
        let(fmt::format("getelementptr {}, ptr {}, i64 %k", type, address(slot)));
    body_ += fmt::format("  store {} {}, ptr {}, align 1, !llvm.access.group !0\n", type, v, at);
  }
  std::string functions;
  for (const auto& [name, text] : functions_) functions += text;
  return {fmt::format(R"({}
define void @{}(ptr %state, i64 %n, ptr %inputs, ptr %where, ptr %outputs) {{
entry:
{}  br label %item
item:
  %k = phi i64 [ 0, %entry ], [ %next, %latch ]
{}  br label %latch
latch:
  %next = add nuw nsw i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %item, label %done, !llvm.loop !1
done:
  ret void
}}
!0 = distinct !{{}}
!1 = distinct !{{!1, !2}}
!2 = !{{!"llvm.loop.parallel_accesses", !0}}
)",
                      functions, kName, entry_, body_),
          std::move(slots_)};
}

}  // namespace serrate::cpu
