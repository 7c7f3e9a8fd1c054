// A program as text, one instruction per line.
#include <fmt/format.h>

#include "cpu/program/kernels.h"

namespace serrate::cpu {

// "in0" and the like: kind and the caller's slot, or the number of the scratch place.
static std::string place(uint8_t kind, int slot, int at) {
  constexpr const char* kinds[] = {"in", "index", "out", "in", "t", "one", "start"};
  return fmt::format("{}{}", kinds[kind], kind == 4 ? at : slot);
}

std::string Program::text() const {
  std::string all;
  for (const Instruction& i : code_) {
    const auto at = [&](int e) {
      const Entry& x = entries_[static_cast<size_t>(e)];
      return place(x.kind, x.slot, e);
    };
    const std::string_view op = info(i.op).name, type = serrate::name(i.type);
    std::string line;
    switch (static_cast<Variant>(i.variant)) {
      case Variant::acc:
        line = fmt::format("acc = {}(acc)", op);
        break;
      case Variant::acc_mem:
      case Variant::acc_one:
        line = fmt::format("acc = {}(acc, {})", op, at(i.b));
        break;
      case Variant::mem_acc:
      case Variant::one_acc:
        line = fmt::format("acc = {}({}, acc)", op, at(i.b));
        break;
      case Variant::load:
      case Variant::load_one:
        line = fmt::format("acc = {}", at(i.a));
        break;
      case Variant::save:
        line = fmt::format("{} = acc", at(i.out));
        break;
      case Variant::gather32:
      case Variant::gather64:
      case Variant::gather_window:
        line = fmt::format("acc = {}[{}]", at(i.a), at(i.b));
        break;
      case Variant::part:
        line = fmt::format("acc = {}({})", op, at(i.a));
        break;
      case Variant::stop:
        line = fmt::format("{} = {} unless any of acc", at(i.out), i.c ? "true" : "false");
        break;
      case Variant::window:
        line = fmt::format("{} = windows of {}", at(i.out), at(i.b));
        break;
      case Variant::iota:
        line = fmt::format("acc = {} + i", at(i.a));
        break;
      case Variant::copy:
        line = fmt::format("{} = {}", at(i.out), at(i.a));
        break;
      case Variant::cast:
        line = fmt::format("{} = {}({})", at(i.out), serrate::name(i.to), at(i.a));
        break;
      case Variant::loop:
      case Variant::loop_one: {
        line = fmt::format("{} = {}({}", at(i.out), op, at(i.a));
        if (info(i.op).arity > 1) line += ", " + at(i.b);
        if (info(i.op).arity > 2) line += ", " + at(i.c);
        line += ")";
        break;
      }
      default:
        continue;
    }
    all += fmt::format("{:<32} {}\n", line, type);
  }
  return all;
}

}  // namespace serrate::cpu
