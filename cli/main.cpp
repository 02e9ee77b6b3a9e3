// SPDX-License-Identifier: Apache-2.0
#include <format>
#include <string>

#include "bough/version.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"

namespace bough::cli {

namespace {

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
  add_evaluate(app, action);
  add_generate(app, action);
  add_inspect(app, action);
  add_learn(app, action);
  add_policies(app, action);
  add_report(app, action);
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
  return bough::cli::run_program([&] { return bough::cli::run(argc, argv); });
}
