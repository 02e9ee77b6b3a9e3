// SPDX-License-Identifier: Apache-2.0
#include "bough/report/headlines.hpp"
#include "bough/report/report.hpp"

#include <format>
#include <memory>
#include <nlohmann/json.hpp>

#include "bough/evaluate/metrics.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

struct ReportOptions {
  std::vector<std::filesystem::path> directories;
  std::filesystem::path output;
  bool json = false;
  bool quiet = false;
};

ExitCode report(const ReportOptions& options) {
  std::vector<Evaluation> evaluations;
  std::size_t n_disagreements = 0;
  for (const auto& directory : options.directories) {
    evaluations.push_back(read_evaluation(directory));
    n_disagreements += disagreements(evaluations.back()).size();
  }
  const auto written = write_report(evaluations, options.output);
  if (options.json) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const auto& file : written) files.push_back(file.string());
    print_result(json_text({{"page", written.front().string()}, {"files", files}, {"disagreements", n_disagreements}}));
  } else if (!options.quiet) {
    for (const Headline& headline : headlines(evaluations)) print_result(headline.sentence + "\n");
    print_result(std::format("{} and {} tables as .md, .csv and .tex beside it\n", bold(written.front().string(), stdout), (written.size() - 1) / 3));
  }
  if (n_disagreements > 0) throw Error(ExitCode::failure, std::format("{} of the answers disagree; the page begins with them", n_disagreements));
  return ExitCode::ok;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "Turn the records of evaluations into tables and one page");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("DIR", options->directories, "directories of 'bough evaluate', finished or not")->required()->option_text("DIR...");
  command->add_option("-o,--output", options->output, "directory for index.html and the tables")->required()->option_text("OUT");
  command->add_flag("--json", options->json, "the names of the files as JSON");
  command->add_flag("-q,--quiet", options->quiet, "print nothing");
  command->footer(
      "Examples:\n"
      "  bough report runs/smoke -o runs/smoke/report\n"
      "  bough report runs/easy runs/medium runs/hard -o report      one report of three suites\n\n"
      "The page needs no network and works without JavaScript.  Equal records give equal bytes.");
  command->callback([&action, options] { action = [options] { return report(*options); }; });
}

}  // namespace bough::cli
