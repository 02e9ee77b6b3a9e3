// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bough {

/// Installs handlers for SIGINT and SIGTERM: the first one asks for a stop, so that results are kept; the second, a fifth of a second
/// later or more, ends the process at once with the signal's exit code.
void catch_stop_signals();

/// The signal that asked for a stop; 0 if none did.
int stop_signal() noexcept;

/// Forgets the signal: a child process that inherited it is not the one that was asked.
void forget_stop() noexcept;

/// Called by the handler at the first signal, besides; nullptr: nothing is.
void on_stop(void (*hook)()) noexcept;

}  // namespace bough
