// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "bough/error.hpp"

namespace bough::cli {

/// A command adds itself to the application and sets `action` when it was chosen; main() runs the action.
using Action = std::function<ExitCode()>;

void add_demo(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_policies(CLI::App& app, Action& action);
void add_solve(CLI::App& app, Action& action);

/// The exit code of a command that was asked to stop, or `otherwise`.
ExitCode unless_stopped(ExitCode otherwise);

}  // namespace bough::cli
