// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <exception>
#include <format>
#include <new>
#include <print>
#include <string>

#include "bough/scip/interrupt.hpp"
#include "bough/version.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {

ExitCode unless_stopped(ExitCode otherwise) {
  return stop_signal() == 0 ? otherwise : static_cast<ExitCode>(128 + stop_signal());
}

namespace {

void report(const Error& error) {
  std::println(stderr, "{} {}", bold("bough:", stderr), error.what());
  if (!error.hint().empty()) std::println(stderr, "       {}", error.hint());
}

ExitCode run(int argc, char** argv) {
  CLI::App app{"Learned branching for the SCIP mixed-integer solver"};
  app.set_version_flag("--version", std::format("bough {} ({})", version, commit));
  app.name("bough");
  app.get_formatter()->enable_footer_formatting(false);  // examples keep their lines
  app.require_subcommand(0, 1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(
      "Start here:\n"
      "  bough demo                                         the main job in small\n"
      "  bough generate setcover --size easy -o instances   ten instances as files\n"
      "  bough solve instances/setcover-easy-0.mps.gz       solve one\n\n"
      "'bough COMMAND --help' explains each.  Exit codes: docs/cli.md.");
  Action action;
  add_collect(app, action);
  add_demo(app, action);
  add_generate(app, action);
  add_inspect(app, action);
  add_policies(app, action);
  add_solve(app, action);
  add_train(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return static_cast<ExitCode>(app.exit(error));  // --help, --version
    std::string context = "bough";
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      context += " " + at->get_name();
    }
    throw Error(ExitCode::usage, error.what(), std::format("'{} --help' shows what is expected", context));
  }
  if (!action) throw Error(ExitCode::usage, "no command given", "'bough --help' lists the commands");
  return action();
}

}  // namespace
}  // namespace bough::cli

int main(int argc, char** argv) {
  bough::catch_stop_signals();
  std::signal(SIGPIPE, SIG_IGN);  // `bough ... | head` shall end with a message, not silently in the middle of a file
  try {
    return static_cast<int>(bough::cli::run(argc, argv));
  } catch (const bough::Error& error) {
    bough::cli::report(error);
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    bough::cli::report(bough::Error(bough::ExitCode::failure, "out of memory"));
  } catch (const std::exception& error) {
    bough::cli::report(bough::Error(bough::ExitCode::failure, std::string("internal error: ") + error.what(), "please report it"));
  }
  return static_cast<int>(bough::ExitCode::failure);
}
