// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "bough/error.hpp"

namespace bough::cli {

/// What main() does: stop signals are caught, errors become a message on stderr with its hint, and everything an exit code (docs/cli.md).
int run_program(const std::function<ExitCode()>& program);

/// The exit code of a command that was asked to stop, or `otherwise`.
ExitCode unless_stopped(ExitCode otherwise);

}  // namespace bough::cli
