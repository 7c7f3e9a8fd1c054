// Names, default values and doc strings of structural.def as objects of Python.
#include "functions/table.h"

#include <cstdlib>
#include <deque>

#include "functions/bind.h"

namespace serrate::python {
namespace {

// The value that a default stands for: a literal, or a built-in type.
nb::object literal(std::string_view text) {
  if (text == "None") return nb::none();
  if (text == "True" || text == "False") return nb::bool_(text == "True");
  if (text == "tuple") return nb::borrow((PyObject*)&PyTuple_Type);
  if (text.front() == '\'') return nb::str(text.data() + 1, text.size() - 2);
  const std::string number(text);
  if (number.find_first_of(".e") != std::string::npos)
    return nb::float_(std::strtod(number.c_str(), nullptr));
  return nb::int_(std::strtoll(number.c_str(), nullptr, 10));
}

// The text of a row, with an empty line before its examples.
std::string doc_string(std::string_view text) {
  std::string doc(trimmed(text));
  const size_t example = doc.find("\n>>>");
  if (example != std::string::npos) doc.insert(example, "\n");
  return doc;
}

// For the stub, the pages and the tests.
nb::list table() {
  const auto text = [](std::string_view s) { return nb::str(s.data(), s.size()); };
  nb::list rows;
  for (const FunctionRow& row : kFunctions)
    rows.append(nb::make_tuple(text(row.name), text(row.group), text(row.signature)));
  return rows;
}

}  // namespace

RowTexts::RowTexts(const FunctionRow& row) : name(row.name), doc(doc_string(row.doc)) {
  const Signature s = read_signature(row.signature);
  for (size_t i = 0; i < s.count; ++i) {
    parameters[i] = s.parameters[i].name;
    if (!s.parameters[i].value.empty()) defaults[i] = literal(s.parameters[i].value);
  }
}

const RowTexts& texts_of(const FunctionRow& row) {
  static auto& all = *new std::deque<RowTexts>;
  return all.emplace_back(row);
}

void bind_table(nb::module_& m) { m.def("_function_rows", &table); }

}  // namespace serrate::python
