// Data in and out, devices.
#include "serrate/io.h"

#include "common/checked.h"
#include "common/context.h"
#include "common/operands.h"
#include "convert/arrow.h"
#include "convert/construct.h"
#include "convert/taking.h"
#include "functions/bind.h"
#include "ops/tree/contents.h"

namespace serrate::python {
namespace {

std::string form_text(nb::handle form) {
  if (PyUnicode_Check(form.ptr())) return std::string(text_in(form));
  if (has(form, "to_json"))
    return not_too_deep("from_buffers: the form",
                        [&] { return nb::cast<std::string>(nb::object(form.attr("to_json")())); });
  check<TypeError>(PyDict_Check(form.ptr()),
                   "from_buffers: the form must be JSON text, a dict or a Form");
  return not_too_deep("from_buffers: the form", [&] {
    return nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(form));
  });
}

bool is_big(const std::string& byteorder, const char* op) {
  check<ValueError>(byteorder == "<" || byteorder == ">",
                    "{}: byteorder must be '<' or '>', got '{}'", op, byteorder);
  return byteorder == ">";
}

nb::object from_buffers_python(nb::handle form, int64_t length, nb::object container,
                               nb::object key, nb::handle backend, const std::string& byteorder,
                               Truth allow_noncanonical_form, Truth, nb::handle copy) {
  const TakingScope scope(as_taking(copy, "from_buffers"));
  Array a =
      from_container(form_text(form), length, container, key, is_big(byteorder, "from_buffers"));
  if (allow_noncanonical_form) a = Array(ops::with_simplified_unions(graph::unit(), a.node()));
  return wrap(place(std::move(a), backend, "from_buffers"));
}

// Of an object with Arrow's methods, or of a list of such record batches.
Array from_arrow_python(nb::handle o) {
  const bool copy = taking() == Taking::copy || (taking() == Taking::snapshot && is_of_pandas(o));
  if (auto a = from_arrow_object(o, copy)) return new_array(*a);
  if (const Array* a = array_in(o)) return *a;
  check<TypeError>(PyList_Check(o.ptr()) || PyTuple_Check(o.ptr()),
                   "from_arrow: expected an object of Arrow's (with __arrow_c_array__ or "
                   "__arrow_c_stream__), got one of class {}",
                   nb::cast<std::string>(nb::str(nb::type_name(o.type()))));
  std::vector<Array> parts;
  for (nb::handle part : nb::iter(o)) parts.push_back(from_arrow_python(part));
  check<TypeError>(!parts.empty(), "from_arrow: a list of no batches has no type");
  return parts.size() == 1 ? parts[0] : concatenate(parts);
}

nb::object to_buffers_python(nb::handle array, nb::object container, nb::object key,
                             const std::string& form_key, int64_t id_start, nb::handle backend,
                             const std::string& byteorder) {
  ToBuffersOptions o{
      .form_key = form_key,
      .id_start = id_start,
      .byteorder = is_big(byteorder, "to_buffers") ? ByteOrder::big : ByteOrder::little};
  if (PyUnicode_Check(key.ptr()))
    o.key = buffer_key(nb::cast<std::string>(key));
  else
    o.key = [key](const std::string& f, const std::string& attribute) {
      return nb::cast<std::string>(
          nb::object(key("form_key"_a = f, "attribute"_a = attribute, "form"_a = nb::none())));
    };
  const Beside in_place(Device::cpu);
  Array a = as_array(array, "to_buffers");
  if (backend.is_none())
    refuse_gpu(a, "to_buffers");
  else
    a = move_to(a, backend_named(nb::cast<std::string>(backend), "to_buffers"));
  evaluate(a);
  const Buffers b = to_buffers(a, o);
  if (container.is_none()) container = nb::dict();
  put_views(b, container);
  const nb::object form = nb::module_::import_("serrate.forms").attr("from_json")(b.form_json);
  return nb::make_tuple(form, b.length, container);
}

nb::object from_iter_python(nb::handle iterable, Truth allow_record, Truth highlevel,
                            nb::handle behavior, nb::handle attrs, int64_t, double,
                            nb::handle backend) {
  begin(highlevel, behavior, attrs);
  if (PyUnicode_Check(iterable.ptr()) || PyBytes_Check(iterable.ptr())) return nb::borrow(iterable);
  check<TypeError>(has(iterable, "__iter__"),
                   "from_iter: expected an iterable, got an object of class {}",
                   nb::cast<std::string>(nb::str(nb::type_name(iterable.type()))));
  check<ValueError>(allow_record || !PyDict_Check(iterable.ptr()),
                    "from_iter: a dict is a record, and allow_record is False");
  const Array a = from_iter(iterable);
  begin(highlevel, behavior, attrs);  // what arrays inside hand on does not count
  return wrap(place(a, backend, "from_iter"));
}

// Also of arrays in containers of Python, whose other items stay as they are.
nb::object to_list_python(nb::handle x) {
  if (PyDict_Check(x.ptr())) {
    nb::dict out;
    for (auto [key, value] : nb::borrow<nb::dict>(x)) out[key] = to_list_python(value);
    return out;
  }
  static const nb::handle ndarray = numpy("ndarray");
  if (is_instance(x, ndarray)) return x.attr("tolist")();
  if (!PyList_Check(x.ptr()) && !PyTuple_Check(x.ptr())) {
    if (PyUnicode_Check(x.ptr()) || PyBytes_Check(x.ptr())) return nb::borrow(x);
    begin(true, nb::none(), nb::none());
    const Beside in_place(Device::cpu);
    if (meta_of(x)) return listed(x);
    if (const std::optional<Array> a = try_array(x)) return to_list(*a);
    if (!has(x, "__iter__")) return nb::borrow(x);
  }
  nb::list out;
  for (nb::handle item : nb::iter(x)) out.append(to_list_python(item));
  return out;
}

}  // namespace

void bind_io(nb::module_& m) {
  def<"from_iter">(m, &from_iter_python);
  def<"to_list">(m, &to_list_python);
  def<"from_numpy">(m, [](nb::handle array, Truth, Truth recordarray, Truth highlevel,
                          nb::handle behavior, const std::string& primitive_policy,
                          nb::handle attrs, nb::handle copy) {
    begin(highlevel, behavior, attrs);
    const TakingScope scope(as_taking(copy, "from_numpy"));
    const nb::handle ndarray = numpy("ndarray");
    check<TypeError>(is_instance(array, ndarray),
                     "from_numpy: expected a NumPy array, got an object of class {}",
                     nb::cast<std::string>(nb::str(nb::type_name(array.type()))));
    check<TypeError>(recordarray || nb::object(array.attr("dtype").attr("names")).is_none(),
                     "from_numpy: a structured array is one of records");
    const bool scalar = nb::cast<int>(nb::object(array.attr("ndim"))) == 0;
    check<TypeError>(!scalar || primitive_policy != "error",
                     "from_numpy: expected an array, got a scalar");
    return wrap(
        new_array(from_numpy(scalar ? nb::object(array.attr("reshape")(1)) : nb::borrow(array))));
  });
  def<"to_numpy">(m, [](nb::handle array, Truth allow_missing, nb::handle copy, nb::handle pad) {
    const Beside in_place(Device::cpu);
    const Array a = as_array(array, "to_numpy");
    check<TypeError>(!record_in(array), "to_numpy: a record is no array");
    refuse_gpu(a, "to_numpy");
    if (!pad.is_none()) return to_padded_numpy(at_least_one_row(a), pad);
    return to_numpy(at_least_one_row(a), allow_missing,
                    copy.ptr() == Py_False ? Handed::view : Handed::copy);
  });
  def<"from_dlpack">(m, [](nb::handle array, Truth, Truth, Truth highlevel, nb::handle behavior,
                           nb::handle, nb::handle attrs, nb::handle copy) {
    begin(highlevel, behavior, attrs);
    const TakingScope scope(as_taking(copy, "from_dlpack"));
    return wrap(new_array(from_dlpack(array)));
  });
  def<"from_buffers">(m, &from_buffers_python);
  def(
      m, "_from_whole_buffers",
      [](nb::handle form, int64_t length, nb::object container) {
        return place(from_whole_container(form_text(form), length, container), nb::none(),
                     "from_buffers");
      },
      "form"_a, "length"_a, "container"_a, nb::kw_only());
  def<"to_buffers">(m, &to_buffers_python);
  def<"from_arrow">(m, [](nb::handle array, Truth, nb::handle copy) {
    const TakingScope scope(as_taking(copy, "from_arrow"));
    return from_arrow_python(array);
  });
  def<"from_awkward">(m, [](nb::handle array) {
    begin();
    const std::optional<Array> a = try_array(array);
    check<TypeError>(a.has_value(), "from_awkward: expected an array of Awkward Array's");
    return wrap(new_array(*a));
  });
}

}  // namespace serrate::python
