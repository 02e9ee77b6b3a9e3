// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bough/scip/scip.hpp"

namespace bough {

/// Installs handlers for SIGINT and SIGTERM: the first one asks for a stop, which a solve treats like a limit, so that results are
/// kept; the second, a fifth of a second later or more, ends the process at once with the signal's exit code.
void catch_stop_signals();

/// The signal that asked for a stop; 0 if none did.
int stop_signal() noexcept;

/// While this lives, a stop signal reaches this solve at once.  One at a time in a process.
class StoppableSolve {
 public:
  explicit StoppableSolve(SCIP* scip) noexcept;
  ~StoppableSolve();
  StoppableSolve(const StoppableSolve&) = delete;
  StoppableSolve& operator=(const StoppableSolve&) = delete;
};

}  // namespace bough
