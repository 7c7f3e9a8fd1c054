// What loops of functions that Numba compiles look at, so that Ctrl-C ends them.
#include <atomic>

#include "common/class.h"
#include "cpu/machine/pool.h"

namespace serrate::python {
namespace {

// How many runs are asked to stop: one load that is almost always 0.
std::atomic<int64_t> asked{0};
static_assert(sizeof asked == sizeof(int64_t));

/// One run of compiled loops, by any number of threads.
class Run {
 public:
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    if (stops_) --asked;
  }
  void stop() {
    if (!stops_.exchange(true)) ++asked;
  }
  bool stops() const { return stops_; }

  /// The calling thread works for it, or for nobody (null).
  static void work_for(const Run* run) { current = run; }
  /// Where somebody was asked: is it the run that this thread works for?
  static int must_stop() noexcept { return current != nullptr && current->stops() ? 1 : 0; }

 private:
  static thread_local const Run* current;
  std::atomic<bool> stops_{false};
};
thread_local const Run* Run::current = nullptr;

}  // namespace

void bind_numba_stops(nb::module_& m) {
  nb::class_<Run>(m, "_NumbaRun")
      .def(nb::init<>())
      .def("stop", &Run::stop)
      .def("begin", [](const Run& r) { Run::work_for(&r); })
      .def("end", [](const Run&) { Run::work_for(nullptr); });
  m.def("_num_threads", &cpu::num_threads);
  const nb::object symbols = m.attr("_numba_symbols");
  symbols["serrate_numba_asked"] = nb::int_(reinterpret_cast<uintptr_t>(&asked));
  symbols["serrate_numba_must_stop"] = nb::int_(reinterpret_cast<uintptr_t>(&Run::must_stop));
}

}  // namespace serrate::python
