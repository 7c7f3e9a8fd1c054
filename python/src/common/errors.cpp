// C++ exceptions as Python's, evaluation without the interpreter lock, and the user's line.
#include <dlfcn.h>
#include <unistd.h>

#include <mutex>

#include "common/checked.h"
#include "common/context.h"
#include "core/interrupt.h"
#include "core/process_mutex.h"
#include "core/waiting.h"
#include "core/where.h"
#include "graph/evaluate.h"
#include "graph/interrupted.h"
#include "graph/materialise.h"
#include "graph/operation.h"
#include "serrate/function.h"

namespace serrate::python {
namespace {

// serrate.errors defines the two classes that Python lacks.
nb::handle error_class(const char* name) {
  return nb::object(nb::module_::import_("serrate.errors").attr(name)).release();
}

void set_error(nb::handle type, const char* text) noexcept { PyErr_SetString(type.ptr(), text); }

/// What a function of users raised: it is called once more, with the item that failed.
void raise_again(const FunctionError& error) noexcept {
  try {
    if (error.replay) error.replay();
  } catch (nb::python_error& e) {
    return e.restore();
  } catch (...) {  // it did not come so far
  }
  set_error(PyExc_ValueError, error.what());
}

bool translate(const std::exception_ptr& p) {
  try {
    std::rethrow_exception(p);
  } catch (const FieldError& e) {
    static nb::handle type = error_class("FieldNotFoundError");
    set_error(type, e.what());
  } catch (const AxisError& e) {
    static nb::handle type = error_class("AxisError");
    set_error(type, e.what());
  } catch (const TypeError& e) {
    set_error(PyExc_TypeError, e.what());
  } catch (const OverflowError& e) {
    set_error(PyExc_OverflowError, e.what());
  } catch (const FunctionError& e) {
    raise_again(e);
  } catch (const ValueError& e) {
    set_error(PyExc_ValueError, e.what());
  } catch (const IndexError& e) {
    set_error(PyExc_IndexError, e.what());
  } catch (const MemoryError& e) {
    set_error(PyExc_MemoryError, e.what());
  } catch (const std::bad_alloc&) {
    set_error(PyExc_MemoryError, "out of memory");
  } catch (const std::bad_cast&) {
    set_error(PyExc_TypeError, "a value has another type than is needed here");
  } catch (...) {
    return false;
  }
  return true;
}

thread_local int released = 0;  // > 0: this thread gave up the interpreter lock

// Threads that Python ends still have a state while what is theirs is destroyed, but not the lock.
// (The function that knows is not of the limited interface.)
bool holds_lock() {
  using Check = int (*)();
  static const auto check = reinterpret_cast<Check>(dlsym(RTLD_DEFAULT, "PyGILState_Check"));
  if (released != 0 || PyGILState_GetThisThreadState() == nullptr) return false;
  return check == nullptr || check() != 0;
}

// Python objects whose last user went in a thread without the interpreter lock: given back later.
struct Orphans {
  ProcessMutex mutex;
  std::vector<PyObject*> objects;
  std::atomic<bool> any{false};
};
Orphans& orphans() {
  static auto* o = new Orphans;  // never destroyed: arrays may outlive the module
  return *o;
}

void drain_orphans() {
  Orphans& o = orphans();
  if (!o.any.load(std::memory_order_relaxed)) return;
  std::vector<PyObject*> mine;
  {
    std::lock_guard lock(o.mutex);
    mine.swap(o.objects);
    o.any = false;
  }
  for (PyObject* p : mine) Py_DECREF(p);
}

// When the interpreter has ended, Python ends the threads that ask for its lock. That unwinds their
// stacks, which much of C++ does not allow: they wait for the end of the process instead.
template <class F>
auto or_wait_for_the_end(F&& take_lock) {
  try {
    return take_lock();
  } catch (...) {
    for (;;) pause();
  }
}

struct Unlocked {
  PyThreadState* state;
  Unlocked() : state(PyEval_SaveThread()) { ++released; }
  ~Unlocked() {
    --released;
    or_wait_for_the_end([&] { PyEval_RestoreThread(state); });
    drain_orphans();
  }
};

// Runs what Python does on signals, in the thread that does so and only while it computes.
void look_at_signals() {
  if (released == 0) return;
  const PyGILState_STATE state = or_wait_for_the_end([] { return PyGILState_Ensure(); });
  const int outer = std::exchange(released, 0);
  std::exception_ptr raised;
  try {
    check_signals();
  } catch (...) {
    raised = std::current_exception();
  }
  released = outer;
  PyGILState_Release(state);
  if (raised) std::rethrow_exception(raised);
}

// "file:line" of the Python code that called, frames of this package skipped.
std::string source_location() {
  if (!holds_lock()) return {};
  static const std::string& package = *new std::string([] {
    const std::string file =
        nb::cast<std::string>(nb::module_::import_("serrate").attr("__file__"));
    return file.substr(0, file.rfind('/') + 1);
  }());
  nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame.is_valid() && !frame.is_none()) {
    auto* f = reinterpret_cast<PyFrameObject*>(frame.ptr());
    nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(f)));
    nb::object name = code.attr("co_filename");
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
    if (!text) {
      PyErr_Clear();
      return {};
    }
    const std::string_view file(text, static_cast<size_t>(size));
    if (file.substr(0, package.size()) != package)
      return std::string(file.substr(file.rfind('/') + 1)) + ":" +
             std::to_string(PyFrame_GetLineNumber(f));
    frame = frame.attr("f_back");
  }
  return {};
}

}  // namespace

void set_python_error() noexcept {
  try {
    const std::exception_ptr p = std::current_exception();
    if (translate(p)) return;
    try {
      std::rethrow_exception(p);
    } catch (nb::python_error& e) {
      e.restore();
    } catch (const nb::builtin_exception& e) {
      PyErr_SetString(PyExc_TypeError, e.what());
    } catch (const std::exception& e) {
      PyErr_SetString(PyExc_RuntimeError, e.what());
    } catch (...) {
      PyErr_SetString(PyExc_RuntimeError, "unknown error");
    }
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "error while reporting an error");
  }
}

void check_signals() {
  // A handler may use arrays, too: that is another call, and no part of this evaluation.
  const InnerCall call;
  const graph::Interrupted evaluation;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void Signals::look_at_clock() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  check_signals();
}

void raise(const char* name, const std::string& text) {
  const nb::object type = nb::module_::import_("serrate.errors").attr(name);
  PyErr_SetString(type.ptr(), text.c_str());
  throw nb::python_error();
}

void evaluate(const Array& a) {
  if (evaluate_shortly(a)) return;
  Unlocked unlocked;
  a.evaluate();
}

void evaluate_all(const std::vector<Array>& arrays) {
  if (arrays.size() == 1) return evaluate(arrays[0]);
  Unlocked unlocked;
  evaluate_together(arrays);
}

void compute_one(const Array& a) {
  if (is_computed(a) || evaluate_shortly(a)) return;
  Unlocked unlocked;
  compute({a});
}

void compute_all(const std::vector<Array>& arrays) {
  if (arrays.size() == 1) return compute_one(arrays[0]);
  Unlocked unlocked;
  compute(arrays);
}

void without_lock(const std::function<void()>& f) {
  Unlocked unlocked;
  f();
}

std::shared_ptr<const void> keep(nb::handle o) {
  drain_orphans();
  PyObject* p = o.inc_ref().ptr();
  return {p, [](PyObject* object) {
            if (!Py_IsInitialized()) return;
            if (holds_lock()) {
              Py_DECREF(object);
              return;
            }
            Orphans& waiting = orphans();
            std::lock_guard lock(waiting.mutex);
            waiting.objects.push_back(object);
            waiting.any = true;
          }};
}

void install_source_location() {
  set_source_location_hook(source_location);
  set_interrupt_hook(look_at_signals);
  set_waiting_hook({[]() -> void* {
                      if (!holds_lock()) return nullptr;
                      ++released;
                      return PyEval_SaveThread();
                    },
                    [](void* state) {
                      --released;
                      or_wait_for_the_end(
                          [&] { PyEval_RestoreThread(static_cast<PyThreadState*>(state)); });
                    }});
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    if (!translate(p)) std::rethrow_exception(p);
  });
  install_source_location();
}

}  // namespace serrate::python
