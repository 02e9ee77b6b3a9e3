// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bough/scip/scip.hpp"

namespace bough {

/// While this lives, a stop signal (bough/stop.hpp) reaches this solve at once, and it treats it like a limit.  One at a time in a process.
class StoppableSolve {
 public:
  explicit StoppableSolve(SCIP* scip) noexcept;
  ~StoppableSolve();
  StoppableSolve(const StoppableSolve&) = delete;
  StoppableSolve& operator=(const StoppableSolve&) = delete;
};

}  // namespace bough
