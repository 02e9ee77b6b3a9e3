// SPDX-License-Identifier: Apache-2.0
#include "bough/scip/interrupt.hpp"

#include <atomic>

#include "bough/stop.hpp"

namespace bough {
namespace {

std::atomic<SCIP*> solving{nullptr};
static_assert(std::atomic<SCIP*>::is_always_lock_free);

/// SCIPinterruptSolve only sets a flag in a library built without stage checks (Debian's), so a signal handler may call it.
void interrupt() {
  if (SCIP* scip = solving.load()) (void)SCIPinterruptSolve(scip);
}

}  // namespace

StoppableSolve::StoppableSolve(SCIP* scip) noexcept {
  solving = scip;
  on_stop(interrupt);
}

StoppableSolve::~StoppableSolve() {
  on_stop(nullptr);
  solving = nullptr;
}

}  // namespace bough
