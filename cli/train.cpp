// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <format>
#include <memory>

#include "cli/command.hpp"

namespace bough::cli {
namespace {

/// Becomes bough-train, the program beside this one: it is linked with libtorch, this one is not.
[[noreturn]] void start_trainer(const std::vector<std::string>& arguments) {
  const auto trainer = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bough-train";
  std::vector<char*> words;
  std::string name = trainer.string();
  words.push_back(name.data());
  std::vector<std::string> copies = arguments;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  (void)::setenv("OPENBLAS_NUM_THREADS", "1", /*overwrite=*/0);
  std::signal(SIGPIPE, SIG_DFL);
  ::execv(name.c_str(), words.data());
  throw Error(ExitCode::failure, std::format("cannot start {}: {}", name, std::strerror(errno)), "it belongs beside the program 'bough'; build it with 'make'");
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("train", "Train a branching policy on a collected set, or test one");
  command->prefix_command();      // everything behind the word is bough-train's, --help too
  command->set_help_flag();
  command->callback([&action, command] { action = [command]() -> ExitCode { start_trainer(command->remaining()); }; });
}

}  // namespace bough::cli
