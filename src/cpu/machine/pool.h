// A thread pool: runs numbered tasks on the caller and on lazily started threads.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace serrate::cpu {

/// A callable that is called before the caller's statement ends, so nothing is copied or allocated.
template <class F>
class FunctionRef;
template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
           std::is_invocable_r_v<R, F&, A...>)
      FunctionRef(F&& f)  // NOLINT: implicit, so that lambdas can be passed
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, A... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<A>(args)...);
        }) {}
  R operator()(A... args) const { return call_(object_, std::forward<A>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, A...);
};

/// Threads a parallel_for may use, the caller included: SERRATE_NUM_THREADS, else the CPUs this
/// process may run on.
int num_threads();

/// Sets num_threads(); 0 returns to the default. Throws ValueError when negative.
void set_num_threads(int threads);

/// Calls body(task, worker) once for every task in [0, tasks), in any order; returns when all are
/// done. worker is in [0, num_threads()) and no two running calls of one parallel_for share it:
/// index scratch by it. The caller is worker 0. Tasks are handed out in rising order. When bodies
/// throw, tasks not yet begun are dropped and the exception of the lowest task that threw is thrown
/// here. Inside a body, a nested call runs inline (worker 0 of its own), unless the outer call has
/// one task. With one task or one thread no thread is started or woken.
void parallel_for(int64_t tasks, FunctionRef<void(int64_t task, int worker)> body);

/// True on a thread that runs a body of parallel_for (nested calls run inline there).
bool in_parallel();

}  // namespace serrate::cpu
