// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <format>
#include <memory>
#include <nlohmann/json.hpp>

#include "bough/evaluate/evaluate.hpp"
#include "bough/evaluate/metrics.hpp"
#include "bough/file.hpp"
#include "bough/journal.hpp"
#include "bough/model/model.hpp"
#include "bough/report/headlines.hpp"
#include "bough/report/report.hpp"
#include "bough/stop.hpp"
#include "cli/command.hpp"
#include "cli/evaluate.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

namespace fs = std::filesystem;

struct DemoOptions {
  std::string family = "setcover";
  std::string size = "easy";
  int count = 6;  // the fewest with which a test over instances can tell anything
  std::uint64_t seed = 30000;  // no shipped model has seen these
  std::string model;
  fs::path output = "demo";
};

constexpr const char* note = "A demonstration: too few instances to be more than that.";

bool empty_but_for_lock(const fs::path& directory) {
  return std::ranges::all_of(fs::directory_iterator(directory), [](const fs::directory_entry& entry) { return entry.path().filename() == ".lock"; });
}

/// A demo starts from nothing each time: the race is to be seen.  What else lies in the directory is not touched.
void clear(const fs::path& output) {
  std::error_code unreachable;  // making the directory says what is wrong
  if (!fs::exists(output, unreachable)) return;
  if (!fs::is_directory(output)) throw Error(ExitCode::cannot_write, std::format("cannot create {}: a file of that name is there", output.string()), "choose another directory with -o");
  const fs::path file = output / "suite.json";
  const auto suite = fs::exists(file) ? nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false) : nlohmann::json();
  if (!suite.is_object() || suite.value("name", "") != "demo" || suite.value("note", "") != note) {
    if (!empty_but_for_lock(output)) throw Error(ExitCode::usage, std::format("{} is there and is not a demo's", output.string()), "choose another directory with -o");
    return;
  }
  const DirectoryLock lock(output, "racing in");
  for (const char* part : {"runs.jsonl", "instances", "report", "suite.json"}) fs::remove_all(output / part);  // the mark of a demo last
}

ExitCode demo(DemoOptions& options) {
  if (const std::string shipped = std::format("models/{}-tgat.safetensors", options.family); options.model.empty() && fs::exists(shipped)) options.model = shipped;
  EvaluateRequest request;
  Suite& suite = request.suite;
  suite.name = "demo";
  suite.note = note;
  suite.settings.preset = "paper";
  suite.settings.time_limit_s = 600;
  suite.policies = {{"relpscost", "relpscost"}, {"pscost", "pscost"}};
  if (!options.model.empty()) {
    const std::string network(network_names[static_cast<std::size_t>(read_model(options.model).architecture.network)]);
    suite.policies.push_back({network, options.model});
    suite.explained_policy = network;
    suite.n_explained = 8;
  }
  suite.statistics = false;
  (void)family_by_name(options.family);
  SeedRange seeds{options.family, static_cast<Size>(std::ranges::find(size_names, options.size) - size_names.begin()), options.seed, options.seed + static_cast<std::uint64_t>(options.count) - 1};
  SuiteGroup group{.name = std::format("{}-{}", options.family, options.size), .family = options.family, .size = options.size, .instances = instances_of(seeds)};
  for (const SuitePolicy& policy : suite.policies) {
    (void)make_policy(policy.source, 0);
    group.policies.push_back(policy.name);
  }
  suite.groups.push_back(std::move(group));
  clear(options.output);
  request.output = options.output;

  print_result(std::format("{} {} instances ({}, seeds {} to {}), each solved to proven optimality by SCIP's two rules{}, one at a time\n\n", options.count, options.family, options.size, seeds.first, seeds.last,
                           options.model.empty() ? "" : " and by the trained network"));
  print_result(bold(std::format("{:<22}{:<13}{:>14}{:>9}{:>10}{:>12}", "instance", "policy", "objective", "nodes", "time", "after root"), stdout) + "\n");
  request.on_progress = [](const EvaluateProgress& progress) {
    if (!progress.record) return;
    const RunRecord& run = *progress.record;
    print_result(std::format("{:<22}{:<13}{:>14}{:>9}{:>10}{:>12}\n", run.instance, run.policy, number_text(run.primal_bound), run.n_nodes, duration_text(run.time_s), duration_text(run.time_s - run.root_time_s)));
  };
  if (!evaluate(request)) {
    if (stop_signal() != 0) clear(options.output);
    return unless_stopped(ExitCode::failure);
  }
  const std::vector<Evaluation> evaluations{read_evaluation(options.output)};
  print_result("\n" + evaluation_text(evaluations.front()));
  const auto written = write_report(evaluations, options.output / "report");
  print_result("\n");
  for (const Headline& headline : headlines(evaluations)) print_result(headline.sentence + "\n");
  print_result(std::format("\nThe page with tables and figures: {}\n", bold(written.front().string(), stdout)));
  const auto failed = std::ranges::find_if(evaluations.front().runs, [](const RunRecord& run) { return !run.solved(); });
  if (failed != evaluations.front().runs.end()) throw Error(ExitCode::failure, std::format("{} with {}: {} {}", failed->instance, failed->policy, failed->status, failed->message));
  if (const auto wrong = disagreements(evaluations.front()); !wrong.empty()) throw Error(ExitCode::failure, std::format("{}: {}", wrong.front().instance, wrong.front().text));
  return ExitCode::ok;
}

}  // namespace

void add_demo(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("demo", "Race a trained network against SCIP's rules on fresh instances, with a report");
  auto options = std::make_shared<DemoOptions>();
  command->add_option("--family", options->family, "family of the instances")->option_text("NAME [setcover]");
  command->add_option("--size", options->size, "tiny, easy, medium or hard")->check(CLI::IsMember(size_names))->option_text("SIZE [easy]");
  command->add_option("--count", options->count, "how many instances")->check(CLI::Range(1, 1000))->option_text("N [6]");
  command->add_option("--seed", options->seed, "of the first instance")->option_text("S [30000]");
  command->add_option("--model", options->model, "a trained network")->option_text("FILE [models/FAMILY-tgat.safetensors, if it is there]");
  command->add_option("-o,--output", options->output, "directory for records and report; an older demo's is overwritten")->option_text("DIR [demo]");
  command->callback([&action, options] { action = [options] { return demo(*options); }; });
}

}  // namespace bough::cli
