// SPDX-License-Identifier: Apache-2.0
//
// Keeps MPI asleep until somebody needs it.
//
// Debian's SCIP links Ipopt, and Ipopt's MUMPS interface starts MPI when the library is loaded, before main(): 1.6 s of probing for
// network hardware in every process, `scip --version` included (measured), for a solver that only nonlinear problems use.  It asks
// MPI_Initialized() first.  The loader finds the definition below before the library's own, and while libraries are being loaded
// the answer is "yes, it runs already"; from then on the question goes to the library itself.  A problem with nonlinear
// constraints starts MPI when it is read (start_mpi).
#include "bough/scip/mpi_at_load.hpp"

#include <dlfcn.h>

namespace bough {
namespace {

// Zero-initialised: false until this file's constructors run, which is after those of all libraries.
bool libraries_are_loaded;
[[maybe_unused]] const bool set_it = (libraries_are_loaded = true);

template <class Function>
Function* library_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

void start_mpi() {
  const auto initialized = library_function<int(int*)>("MPI_Initialized");
  const auto init = library_function<int(int*, char***)>("MPI_Init");
  int running = 0;
  if (initialized != nullptr && init != nullptr && initialized(&running) == 0 && running == 0) (void)init(nullptr, nullptr);
}

}  // namespace bough

extern "C" {

__attribute__((visibility("default"))) int MPI_Initialized(int* flag) {
  *flag = 1;
  if (!bough::libraries_are_loaded) return 0;
  const auto real = bough::library_function<int(int*)>("MPI_Initialized");
  return real == nullptr ? 0 : real(flag);
}

// Ipopt ends MPI when the library is unloaded, without asking whether it ever ran; MPI would abort the process.
__attribute__((visibility("default"))) int MPI_Finalize() {
  int running = 0;
  const auto real = bough::library_function<int()>("MPI_Finalize");
  return MPI_Initialized(&running) == 0 && running != 0 && real != nullptr ? real() : 0;
}

}
