// How an Array or a Record of Python is made of data: see construct.cpp.
#pragma once

#include <optional>
#include <string>

#include "common/python.h"

namespace serrate::python {

/// The class's arguments behind the data.
struct Construction {
  nb::handle behavior;
  std::optional<std::string> name;  // of the records
  bool check_valid = false;
  nb::handle backend, attrs, named_axis;
  nb::handle copy = Py_None;  // of memory of others: taking.h
};
/// What Array(data, ...) or Record(data, ...) holds. TypeError for what is none.
PyArray array_from(nb::handle data, const Construction& c);
Record record_from(nb::handle data, const Construction& c);

/// from_container of buffers that are as long as what they hold.
Array from_whole_container(std::string_view form, int64_t length, nb::object container);

}  // namespace serrate::python
