// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bough/error.hpp"

namespace bough::cli {

/// A command adds itself to the application and sets `action` when it was chosen; main() runs the action.
using Action = std::function<ExitCode()>;

void add_collect(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);
void add_evaluate(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_learn(CLI::App& app, Action& action);
void add_policies(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_solve(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);

/// Splits name=value of --scip.  Throws Error (usage) for anything else.
std::vector<std::pair<std::string, std::string>> parse_parameters(const std::vector<std::string>& assignments);

}  // namespace bough::cli
