// Kernels that users wrote, launched from Python: parameters checked, arguments packed.
#include <algorithm>
#include <cstring>
#include <span>

#include "common/checked.h"
#include "common/class.h"
#include "common/operands.h"
#include "cuda/compiler/compile.h"
#include "cuda/device.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "kernels/lists.h"
#include "kernels/memory.h"

namespace serrate::python {
namespace {

using cuda::gpu;

struct Parameter {
  enum class Kind : uint8_t {
    scalar,   // a number
    in,       // const T*
    written,  // T*: memory that nobody else sees, a copy of an array's if need be
    out,      // T*: fresh memory
    array,    // a device array as Numba lays it out: 0, 0, size, itemsize, data, shape, strides
    view      // the words of a nested array, as Numba's views have them
  };
  Kind kind = Kind::scalar;
  std::optional<DType> dtype;  // none: void*
  std::string name;
  int64_t words = 0;  // of an array: its dimensions; of a view: all of them
  std::string form;   // of a view
};

Parameter parameter_of(nb::handle t) {
  static const std::pair<const char*, Parameter::Kind> kinds[] = {
      {"scalar", Parameter::Kind::scalar},   {"in", Parameter::Kind::in},
      {"written", Parameter::Kind::written}, {"out", Parameter::Kind::out},
      {"array", Parameter::Kind::array},     {"view", Parameter::Kind::view}};
  Parameter p;
  const auto kind = nb::cast<std::string>(nb::object(t[nb::int_(0)]));
  for (const auto& [name, k] : kinds)
    if (kind == name) p.kind = k;
  const nb::object dtype(t[nb::int_(1)]);
  if (!dtype.is_none()) p.dtype = dtype_of_numpy(numpy("dtype")(dtype));
  p.name = nb::cast<std::string>(nb::object(t[nb::int_(2)]));
  p.words = nb::cast<int64_t>(nb::object(t[nb::int_(3)]));
  if (p.kind == Parameter::Kind::view) p.form = nb::cast<std::string>(nb::object(t[nb::int_(4)]));
  return p;
}

/// The arguments of one launch as bytes, and what must be there until it is given to the GPU.
struct Packing {
  explicit Packing(int64_t size) {
    if (size <= static_cast<int64_t>(sizeof few)) return;
    many.resize(static_cast<size_t>(size));
    bytes = many.data();
  }
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;

  /// Another library's stream: what was given to it comes before the kernel, what comes next after.
  void follow(uintptr_t stream) {
    if (std::ranges::find(streams, stream) != streams.end()) return;
    gpu().wait_for(stream);
    streams.push_back(stream);
  }

  alignas(16) std::byte few[512];
  std::vector<std::byte> many;
  std::byte* bytes = few;
  std::vector<uintptr_t> streams;
  std::vector<graph::NodeRef> read;  // what is read stays as it is, and where it is
};

/// An array that is written to, which may be given more than once.
struct Written {
  const Array* array;
  std::byte* data;
};

class Launcher {
 public:
  Launcher(std::string name, nb::handle code, nb::handle parameters, std::string said_as)
      : name_(std::move(name)), said_as_(std::move(said_as)) {
    text_ = nb::isinstance<nb::str>(code);
    if (text_) {
      code_ = nb::cast<std::string>(code);
    } else {
      char* bytes = nullptr;
      Py_ssize_t n = 0;
      if (PyBytes_AsStringAndSize(code.ptr(), &bytes, &n) != 0) throw nb::python_error();
      code_.assign(bytes, static_cast<size_t>(n));
    }
    for (nb::handle p : nb::iter(parameters)) add(parameter_of(p));
  }

  void load() {
    if (loaded_) return;
    std::string cubin = code_;
    if (text_) without_lock([&] { cubin = cuda::compile(code_, gpu().info().arch); });
    kernel_ = gpu().kernel(gpu().load(cubin), name_.c_str());
    loaded_ = true;
  }

  void launch(const cuda::Grid& grid, nb::handle args) {
    const auto n = static_cast<size_t>(PyTuple_Size(args.ptr()));
    check<TypeError>(n == parameters_.size(), "{} takes {} arguments, got {}", said_as_,
                     parameters_.size(), n);
    check_grid(grid);
    load();
    Packing to(size_);
    std::vector<Written> written;
    for (size_t i = 0; i < n; ++i)
      if (parameters_[i].kind != Parameter::Kind::written)
        put(parameters_[i], PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i)), at_[i], to);
    for (size_t i = 0; i < n; ++i)
      if (parameters_[i].kind == Parameter::Kind::written)
        put_written(parameters_[i], PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i)), at_[i],
                    to, written);
    gpu().launch_grid(kernel_, grid,
                      {to.bytes, size_, places_.data(), static_cast<int>(places_.size())});
    for (const uintptr_t s : to.streams) gpu().let_wait(s);
  }

  int64_t resident(int threads, int shared) {
    load();
    return gpu().resident_blocks(kernel_, threads, shared);
  }

 private:
  void place(int64_t bytes) {
    size_ = (size_ + bytes - 1) / bytes * bytes;
    places_.push_back(size_);
    size_ += bytes;
  }
  void add(Parameter p) {
    const int64_t first = static_cast<int64_t>(places_.size());
    const bool one = p.kind < Parameter::Kind::array;
    const int64_t count = p.kind == Parameter::Kind::array ? 5 + 2 * p.words : p.words;
    if (p.kind == Parameter::Kind::scalar && is_complex(*p.dtype)) {
      place(itemsize(*p.dtype) / 2);
      place(itemsize(*p.dtype) / 2);
    } else if (one) {
      place(p.kind == Parameter::Kind::scalar ? itemsize(*p.dtype) : 8);
    } else {
      for (int64_t k = 0; k < count; ++k) place(8);
    }
    at_.push_back(places_[static_cast<size_t>(first)]);
    writes_ |= p.kind == Parameter::Kind::written;
    parameters_.push_back(std::move(p));
  }

  void check_grid(const cuda::Grid& g) const {
    const int64_t threads = int64_t{g.threads[0]} * g.threads[1] * g.threads[2];
    check<ValueError>(threads >= 1 && threads <= 1024,
                      "{}: {} threads in a block; 1 to 1024 are possible", said_as_, threads);
    check<ValueError>(g.blocks[0] >= 1 && g.blocks[0] < 1u << 31 && g.blocks[1] >= 1 &&
                          g.blocks[1] < 65536 && g.blocks[2] >= 1 && g.blocks[2] < 65536,
                      "{}: a grid of {} x {} x {} blocks is not possible", said_as_, g.blocks[0],
                      g.blocks[1], g.blocks[2]);
    check<ValueError>(g.shared_bytes >= 0 && g.shared_bytes <= gpu().info().shared_per_block,
                      "{}: {} bytes of shared memory; {} are possible", said_as_, g.shared_bytes,
                      gpu().info().shared_per_block);
  }

  template <class T>
  static void write(std::byte* to, T x) {
    std::memcpy(to, &x, sizeof x);
  }

  [[noreturn]] void refuse(const Parameter& p, const std::string& what) const {
    throw TypeError(fmt::format("{}: argument '{}': {}", said_as_, p.name, what));
  }

  void put(const Parameter& p, PyObject* o, int64_t at, Packing& packing) const {
    std::byte* const to = packing.bytes + at;
    if (p.kind == Parameter::Kind::scalar) return put_scalar(p, o, to);
    if (p.kind == Parameter::Kind::view) return put_words(p, o, to);
    const Array* const a = array_in(o);
    const Memory m = a != nullptr ? memory_of(p, *a) : memory_of_foreign(p, o, packing);
    if (a != nullptr && writes_) packing.read.push_back(a->node());
    if (p.kind != Parameter::Kind::array) return write(to, m.data);
    put_array(p, m, to);
  }

  // Behind all that is only read: of an array that is read as well, the kernel sees what it was.
  void put_written(const Parameter& p, PyObject* o, int64_t at, Packing& packing,
                   std::vector<Written>& written) const {
    std::byte* const to = packing.bytes + at;
    Array* const a = array_in(o);
    if (a == nullptr) return write(to, memory_of_foreign(p, o, packing).data);
    const Memory m = memory_of(p, *a);
    auto known = std::ranges::find(written, a, &Written::array);
    if (known == written.end()) known = written.insert(known, {a, memory_to_write(*a, m)});
    write(to, known->data);
  }

  // {start, stop, words}, or {position, words} of a record.
  void put_words(const Parameter& p, PyObject* o, std::byte* to) const {
    const GpuWords w = gpu_words(o);
    if (w.form != p.form) refuse(p, fmt::format("expected {}, got {}", p.form, w.form));
    const auto n = static_cast<int64_t>(w.words.size());
    write(to, w.start);
    if (p.words == n + 2) write(to += 8, w.stop);
    std::memcpy(to + 8, w.words.data(), w.words.size() * 8);
  }

  void put_array(const Parameter& p, const Memory& m, std::byte* to) const {
    const std::span<const int64_t> shape = m.dimensions();
    const size_t n = shape.size();
    if (static_cast<int64_t>(n) != p.words)
      refuse(p, fmt::format("expected {} dimensions, got {}", p.words, n));
    int64_t items = 1;
    for (const int64_t size : shape) items *= size;
    const int64_t size = itemsize(*p.dtype);
    for (const int64_t w : {int64_t{0}, int64_t{0}, items, size,
                            static_cast<int64_t>(reinterpret_cast<intptr_t>(m.data))}) {
      write(to, w);
      to += 8;
    }
    int64_t packed = size;
    for (size_t k = n; k-- > 0;) {
      write(to + 8 * k, shape[k]);
      write(to + 8 * (n + k), m.strides.empty() ? packed : m.strides[k]);
      packed *= shape[k];
    }
  }

  void put_scalar(const Parameter& p, PyObject* o, std::byte* to) const {
    if (put_plain(*p.dtype, o, to)) return;
    const std::optional<Array> a = scalar_from(o);
    if (!a || a->type().is(Type::Kind::option) || !a->type().is(Type::Kind::number))
      refuse(p, fmt::format("expected a number, got an object of class {}",
                            nb::cast<std::string>(nb::str(nb::type_name(nb::handle(o).type())))));
    put_number(p, a->item_scalar(), to);
  }

  // Python's own numbers for what most kernels take, without an array of one.
  static bool put_plain(DType t, PyObject* o, std::byte* to) {
    if (t == DType::float64 && PyFloat_CheckExact(o)) {
      write(to, PyFloat_AsDouble(o));
      return true;
    }
    if (!PyLong_CheckExact(o) || (t != DType::int64 && t != DType::int32)) return false;
    int overflow = 0;
    const long long x = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0) return false;
    if (t == DType::int64) write(to, int64_t{x});
    const bool fits = t == DType::int64 || x == static_cast<int32_t>(x);
    if (fits && t == DType::int32) write(to, static_cast<int32_t>(x));
    return fits;
  }

  void put_number(const Parameter& p, const Scalar& s, std::byte* to) const {
    const DType t = *p.dtype;
    const bool fits = is_complex(t) || (is_floating(t) && !is_complex(s.dtype)) ||
                      (!is_floating(t) && !is_floating(s.dtype) && !is_complex(s.dtype));
    const Scalar as = s.as(t);
    // 64 bits are the same of -1 and of the largest unsigned number.
    const bool same_sign = s.i >= 0 || (t == DType::uint64) == (s.dtype == DType::uint64);
    const bool exact = is_floating(t) || is_complex(t) || (as.as(s.dtype).i == s.i && same_sign);
    if (!fits || !exact) refuse(p, fmt::format("the number does not fit {}", name(t)));
    switch (t) {
      case DType::float32:
        return write(to, static_cast<float>(as.f));
      case DType::float64:
        return write(to, as.f);
      case DType::complex64:
        write(to, static_cast<float>(as.f));
        return write(to + 4, static_cast<float>(as.im));
      case DType::complex128:
        write(to, as.f);
        return write(to + 8, as.im);
      default:
        std::memcpy(to, &as.i, static_cast<size_t>(itemsize(t)));
    }
  }

  void check_type(const Parameter& p, DType t) const {
    if (p.dtype && *p.dtype != t)
      refuse(p, fmt::format("expected {}, got {}", name(*p.dtype), name(t)));
  }

  Memory memory_of(const Parameter& p, const Array& a) const {
    evaluate(a);
    std::optional<Memory> m = plain_memory(a);
    if (!m) {
      if (a.device() != Device::cuda)
        refuse(p, "the array is on the CPU; to_backend(array, \"cuda\") copies it");
      m = regular_memory(a, said_as_.c_str());
    }
    check_type(p, m->dtype);
    return std::move(*m);
  }

  Memory memory_of_foreign(const Parameter& p, PyObject* o, Packing& packing) const {
    if (!has_gpu_interface(o))
      refuse(p, "expected an array on the GPU; to_backend(array, \"cuda\") makes one");
    Memory m = memory_of_other(o);
    check_type(p, m.dtype);
    const bool writes = p.kind != Parameter::Kind::in && p.kind != Parameter::Kind::array;
    if (writes && m.read_only) refuse(p, "the array is read-only");
    if (p.kind != Parameter::Kind::array && !m.strides.empty())
      refuse(p, "the array is not contiguous");
    packing.follow(m.stream);
    return m;
  }

  std::string name_, said_as_, code_;
  bool text_ = true, loaded_ = false;
  cuda::Kernel kernel_;
  std::vector<Parameter> parameters_;
  std::vector<int64_t> places_, at_;
  int64_t size_ = 0;
  bool writes_ = false;
};

cuda::Grid grid_of(nb::handle blocks, nb::handle threads, int shared) {
  cuda::Grid g;
  const auto set = [](nb::handle from, unsigned* to) {
    if (PyLong_Check(from.ptr())) {
      to[0] = nb::cast<unsigned>(from);
      return;
    }
    size_t k = 0;
    for (nb::handle n : nb::iter(from)) {
      check<ValueError>(k < 3, "a grid has three dimensions at most");
      to[k++] = nb::cast<unsigned>(n);
    }
  };
  set(blocks, g.blocks);
  set(threads, g.threads);
  g.shared_bytes = shared;
  return g;
}

nb::object empty(int64_t n, nb::handle dtype) {
  check<ValueError>(n >= 0 && n <= graph::kMaxItems, "{} items", n);
  const DType t = dtype_of_numpy(numpy("dtype")(dtype));
  void* address = nullptr;
  const Buffer b = cuda::allocate(n * itemsize(t), &address);
  return wrap(regular_array(b, t, std::span(&n, 1), {}, {}));
}

}  // namespace

void bind_launches(nb::module_& m) {
  nb::class_<Launcher>(m, "_Launcher")
      .def(nb::init<std::string, nb::handle, nb::handle, std::string>(), "name"_a, "code"_a,
           "parameters"_a, "said_as"_a)
      .def("load", &Launcher::load)
      .def("resident", &Launcher::resident, "threads"_a, "shared"_a)
      .def("launch", [](Launcher& l, nb::handle blocks, nb::handle threads, int shared,
                        nb::handle args) { l.launch(grid_of(blocks, threads, shared), args); });
  m.def("_cuda_let_wait", [](uintptr_t stream) { gpu().let_wait(stream); });
  m.def("_cuda_wait_for", [](uintptr_t stream) { gpu().wait_for(stream); });
  m.def("_cuda_arch", [] { return gpu().info().arch; });
  m.def("_cuda_empty", &empty, "n"_a, "dtype"_a);
  bind_list_kernels(m);
}

}  // namespace serrate::python
