// SPDX-License-Identifier: Apache-2.0
#include "bough/evaluate/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <memory>
#include <nlohmann/json.hpp>

#include "bough/branch/solve_json.hpp"
#include "bough/evaluate/metrics.hpp"
#include "bough/stop.hpp"
#include "cli/command.hpp"
#include "cli/evaluate.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

struct EvaluateOptions {
  EvaluateRequest request;
  std::filesystem::path suite;
  bool json = false;
  bool quiet = false;
};

std::string figure_text(double value, int digits) { return std::isfinite(value) ? std::format("{:.{}f}", value, digits) : "-"; }

std::string policy_text(const PolicySummary& summary) {
  return summary.n_fallbacks == 0 ? summary.policy : std::format("{} ({} fallbacks)", summary.policy, summary.n_fallbacks);
}

nlohmann::ordered_json to_json(const Evaluation& evaluation, const std::vector<Disagreement>& wrong) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  const auto estimate = [](const Estimate& value) { return nlohmann::ordered_json{{"mean", finite_or_null(value.mean)}, {"deviation", finite_or_null(value.deviation)}}; };
  for (const GroupInfo& group : evaluation.groups) {
    nlohmann::ordered_json policies = nlohmann::ordered_json::array();
    for (const PolicySummary& s : summarise(evaluation, group.name)) {
      policies.push_back({{"policy", s.policy}, {"runs", s.n_runs}, {"solved", s.n_solved}, {"wins", s.n_wins}, {"time", estimate(s.time_s)}, {"time_after_root", estimate(s.time_after_root_s)},
                          {"common", s.n_common}, {"nodes", estimate(s.nodes)}, {"fair_nodes", estimate(s.fair_nodes)}, {"lp_iterations", estimate(s.lp_iterations)},
                          {"policy_share", finite_or_null(s.policy_share)}, {"decisions", s.n_decisions}, {"fallbacks", s.n_fallbacks}});
    }
    groups.push_back({{"group", group.name}, {"policies", policies}});
  }
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  for (const RunRecord& run : evaluation.runs) {
    if (run.end != "done") failures.push_back({{"group", run.group}, {"instance", run.instance}, {"seed", run.seed}, {"policy", run.policy}, {"end", run.end}, {"message", run.message}});
  }
  nlohmann::ordered_json disagreeing = nlohmann::ordered_json::array();
  for (const Disagreement& d : wrong) disagreeing.push_back({{"group", d.group}, {"instance", d.instance}, {"text", d.text}});
  const Noise steadiness = noise(evaluation);
  return {{"suite", evaluation.name}, {"runs", evaluation.runs.size()}, {"planned", evaluation.n_planned}, {"disagreements", disagreeing}, {"without_result", failures},
          {"noise", {{"spread", steadiness.spread}, {"too_noisy", steadiness.too_noisy}, {"calibrations", steadiness.n_calibrations}}}, {"groups", groups}};
}

ExitCode evaluate_suite(EvaluateOptions& options) {
  EvaluateRequest& request = options.request;
  request.suite = read_suite(options.suite);
  const bool complete = run_evaluation(request, options.quiet);
  const Evaluation evaluation = read_evaluation(request.output);
  const std::vector<Disagreement> wrong = disagreements(evaluation);
  print_result(options.json ? json_text(to_json(evaluation, wrong)) : evaluation_text(evaluation));
  if (!complete && stop_signal() != 0) {
    tell_line("stopped; the same command goes on from here");
    return unless_stopped(ExitCode::ok);
  }
  if (!wrong.empty()) {
    throw Error(ExitCode::failure, std::format("{} of the answers disagree; the first: {}: {}", wrong.size(), wrong.front().instance, wrong.front().text), "no time of these instances counts until that is explained");
  }
  const auto has_none = [](const RunRecord& run) { return run.end != "done"; };
  if (const auto first = std::ranges::find_if(evaluation.runs, has_none); first != evaluation.runs.end()) {
    throw Error(ExitCode::partial, std::format("{} of {} runs have no result; the first: {} with {}: {}", std::ranges::count_if(evaluation.runs, has_none), evaluation.runs.size(), first->instance, first->policy, first->message),
                "they count as unsolved; --retry runs those again that failed or crashed");
  }
  return ExitCode::ok;
}

}  // namespace

bool run_evaluation(EvaluateRequest& request, bool quiet) {
  std::optional<Progress> progress;
  request.on_progress = [&](const EvaluateProgress& now) {
    if (!progress) progress.emplace("evaluating", now.n_runs, quiet, now.n_done);
    progress->advance(now.n_done, now.detail);
  };
  return evaluate(request);
}

std::string evaluation_text(const Evaluation& evaluation) {
  std::string text;
  for (const Disagreement& d : disagreements(evaluation)) text += std::format("{} {}: {}\n", bold("DISAGREEMENT", stdout), d.instance, d.text);
  for (const GroupInfo& group : evaluation.groups) {
    const auto summaries = summarise(evaluation, group.name);
    std::size_t width = 12;
    for (const PolicySummary& s : summaries) width = std::max(width, policy_text(s).size() + 2);
    text += std::format("{}{}\n", text.empty() ? "" : "\n", bold(std::format("{:<{}}{:>10}{:>7}{:>10}{:>13}{:>10}{:>15}{:>10}", group.name, width, "solved", "wins", "time", "after root", "nodes", "LP iterations", "deciding"), stdout));
    for (const PolicySummary& s : summaries) {
      text += std::format("{:<{}}{:>10}{:>7}{:>10}{:>13}{:>10}{:>15}{:>10}\n", policy_text(s), width, std::format("{}/{}", s.n_solved, s.n_runs), s.n_wins, figure_text(s.time_s.mean, 2) + " s",
                          figure_text(s.time_after_root_s.mean, 2) + " s", figure_text(s.nodes.mean, 1), figure_text(s.lp_iterations.mean, 0), s.n_decisions > 0 ? figure_text(100 * s.policy_share, 1) + " %" : "-");
    }
  }
  text += std::format("\n1-shifted geometric means; counts over what every policy solved that solved any.  {} of {} runs; docs/metrics.md has the definitions.\n", evaluation.runs.size(), evaluation.n_planned);
  if (const Noise steadiness = noise(evaluation); steadiness.too_noisy) {
    text += std::format("The machine was too noisy to trust the times: a repeated solve varied by a factor of {:.2f}. Counts do not depend on the clock.\n", steadiness.spread);
  }
  return text;
}

void add_evaluate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("evaluate", "Run a suite: policies against each other on the same instances");
  auto options = std::make_shared<EvaluateOptions>();
  EvaluateRequest& request = options->request;
  command->add_option("SUITE", options->suite, "the experiment, a .toml file; bench/suites/ has some, docs/evaluating.md the keys")->required()->option_text("FILE");
  command->add_option("-o,--output", request.output, "directory of the records; made, or gone on with")->required()->option_text("DIR");
  command->add_option("--workers", request.n_workers, "runs at a time, each on a core of its own; times are steadiest with one")->check(CLI::Range(1, 4096))->option_text("W [1]");
  command->add_flag("--retry", request.retry, "run again what crashed or failed");
  command->add_flag("--json", options->json, "the summary as JSON");
  command->add_flag("-q,--quiet", options->quiet, "no progress on stderr");
  command->footer(
      "Examples:\n"
      "  bough evaluate bench/suites/smoke.toml -o runs/smoke\n"
      "  bough report runs/smoke -o runs/smoke/report\n\n"
      "The same command goes on with a suite that was interrupted, in whatever way; nothing runs twice.  Exit code 1: two\n"
      "policies disagree on an optimum; 3: some runs have no result.");
  command->callback([&action, options] { action = [options] { return evaluate_suite(*options); }; });
}

}  // namespace bough::cli
