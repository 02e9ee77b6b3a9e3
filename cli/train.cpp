// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "cli/trainer.hpp"

namespace bough::cli {

void add_train(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("train", "Train a branching policy on a collected set, or test one");
  command->prefix_command();      // everything behind the word is bough-train's, --help too
  command->set_help_flag();
  command->callback([&action, command] { action = [command]() -> ExitCode { become_trainer(command->remaining()); }; });
}

}  // namespace bough::cli
