// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <format>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "bough/branch/solve.hpp"
#include "bough/branch/solve_json.hpp"
#include "bough/file.hpp"
#include "cli/command.hpp"
#include "cli/explain.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

struct SolveOptions {
  SolveRequest request;
  std::vector<std::string> parameters;  // name=value
  std::string solution_file;
  std::string trace_file;
  std::string log_file;
  std::string explain_file;
  bool json = false;
  bool quiet = false;
};

constexpr const char* result_stands = "the result above is whole, the file is not";

/// A stream file that is written as things happen: a log or a trace.  Every line reaches the file before the next step.  One that can no
/// longer be written ends no solve: finish() says so, after the result.
class LiveFile {
 public:
  explicit LiveFile(std::string path) : path_(std::move(path)) {
    std::error_code ignored;  // whatever is wrong with the name, opening it says so
    is_new_ = !std::filesystem::exists(path_, ignored);
    stream_.open(path_, std::ios::binary | std::ios::app);
    if (!stream_) fail_write(path_, errno);
  }
  ~LiveFile() {
    std::error_code ignored;
    if (!begun_ && is_new_) std::filesystem::remove(path_, ignored);
  }
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  /// What was in the file goes only now: a solve that cannot begin leaves it as it is.
  void begin() {
    if (std::exchange(begun_, true)) return;
    std::error_code error;
    if (std::filesystem::is_regular_file(path_, error)) std::filesystem::resize_file(path_, 0, error);
    error_ = error.value();
  }
  void write(std::string_view text) {
    begin();
    if (error_ != 0) return;
    errno = 0;
    stream_ << text << std::flush;
    if (!stream_) error_ = errno != 0 ? errno : EIO;
  }
  void finish() {
    begin();
    if (error_ != 0) fail_write(path_, error_, result_stands);
  }

 private:
  std::string path_;
  bool is_new_ = false;
  bool begun_ = false;
  int error_ = 0;  ///< the first one
  std::ofstream stream_;
};

std::string fallbacks_text(const BranchingCounts& counts) {
  std::map<std::string, std::int64_t> by_reason;
  for (std::size_t reason = 0; reason < n_fallback_reasons; ++reason) {
    if (counts.fallbacks[reason] > 0) by_reason[std::string(fallback_names[reason])] = counts.fallbacks[reason];
  }
  return std::format("{} of {} decisions were left to SCIP's own rules ({})", counts.n_fallbacks, counts.n_fallbacks + counts.n_decisions, counts_text(by_reason));
}

std::string to_text(const SolveResult& result) {
  const RunStatistics& s = result.statistics;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) { text += std::format("{:<14}{}\n", name, value); };
  line("status", bold(s.status, stdout));
  line("objective", number_text(s.primal_bound));
  line("bound", number_text(s.dual_bound));
  line("gap", std::isfinite(s.gap) ? std::format("{:.4f} %", 100 * s.gap) : "-");
  line("nodes", std::format("{}{}", s.n_nodes, s.n_runs > 1 ? std::format("  ({} restarts)", s.n_runs - 1) : ""));
  line("LP iterations", std::format("{}  (strong branching: {} more)", s.n_lp_iterations, s.n_strong_branching_iterations));
  line("time", std::format("{}  (root {}; node LPs {}, branching {}, heuristics {})", duration_text(s.time_s), duration_text(s.root_time_s),
                           s.lp_time_s ? duration_text(*s.lp_time_s) : "-", duration_text(s.branching_time_s), duration_text(s.heuristics_time_s)));
  if (const BranchingCounts& counts = result.branching; counts.n_decisions + counts.n_fallbacks > 0) {
    line("decisions", std::format("{}  ({:.3f} ms each, {:.1f} % of the time)", counts.n_decisions,
                                  1e3 * counts.total_s / static_cast<double>(counts.n_decisions + counts.n_fallbacks),
                                  s.time_s > 0 ? 100 * counts.total_s / s.time_s : 0));
    if (counts.n_fallbacks > 0) line("fallbacks", fallbacks_text(counts));
  }
  if (!result.solution_check) {
    line("solution", "none");
  } else if (result.solution_check->feasible) {
    line("solution", "checked against the file: feasible, objective " + number_text(result.solution_check->objective));
  } else {
    line("solution", (result.solution_check->readable ? "WRONG: " : "NOT CHECKED: ") + result.solution_check->complaint);
  }
  return text;
}

ExitCode solve(SolveOptions& options) {
  SolveRequest& request = options.request;
  request.settings.overrides = parse_parameters(options.parameters);

  // Everything that will be written is opened before the solve: an hour of work shall not end in "permission denied".
  std::optional<AtomicFile> solution;
  std::optional<LiveFile> trace;
  std::optional<LiveFile> log;
  std::optional<LiveFile> explanations;
  if (!options.solution_file.empty()) solution.emplace(options.solution_file);
  if (!options.trace_file.empty()) trace.emplace(options.trace_file);
  if (!options.log_file.empty()) log.emplace(options.log_file);
  if (!options.explain_file.empty()) explanations.emplace(options.explain_file);

  request.log = [&](std::string_view text) {
    if (!options.quiet) tell(text);
    if (log) log->write(text);
  };
  if (trace) request.on_progress = [&](const TracePoint& point) { trace->write(trace_json(point).dump() + "\n"); };

  request.on_explained = [&](const Explanation& explanation) {
    if (explanations) {
      explanations->write(explanation_json(explanation).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    } else {
      tell(explanation_text(explanation));
    }
  };

  const SolveResult result = solve_file(request);
  const auto for_each_file = [&](auto&& call) {
    for (auto* file : {&trace, &log, &explanations}) {
      if (*file) call(**file);
    }
  };
  for_each_file([](LiveFile& file) { file.begin(); });

  if (trace) {
    const RunStatistics& s = result.statistics;
    auto last = trace_json(TracePoint{s.time_s, s.primal_bound, s.dual_bound, s.gap, s.n_nodes});
    last["final"] = true;
    last["status"] = s.status;
    trace->write(last.dump() + "\n");
  }
  std::vector<Error> problems;  // said after the result, which is not lost with a file
  if (result.solution_check && !result.solution_check->feasible) problems.emplace_back(ExitCode::failure, std::format("{}: {}", request.instance.string(), result.solution_check->verdict()));
  const auto attempt = [&](auto&& write) {
    try {
      write();
    } catch (const Error& error) {
      problems.emplace_back(error.code(), error.what(), result_stands);
    }
  };
  if (solution && result.solution) attempt([&] {
    solution->write(solution_text(*result.solution, result.statistics.status));
    solution->commit();
  });
  for_each_file([&](LiveFile& file) { attempt([&] { file.finish(); }); });
  print_result(options.json ? json_text(solve_json(request, result)) : to_text(result));
  if (problems.empty()) return unless_stopped(ExitCode::ok);
  for (const Error& other : problems | std::views::drop(1)) tell_line(other.what());
  throw problems.front();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_parameters(const std::vector<std::string>& assignments) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const std::string& assignment : assignments) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ExitCode::usage, std::format("--scip {}: expected name=value", assignment), "example: --scip limits/gap=0.01");
    }
    parameters.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return parameters;
}

void add_solve(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("solve", "Solve one instance with a branching policy");
  auto options = std::make_shared<SolveOptions>();
  auto& request = options->request;
  auto& settings = request.settings;
  command->add_option("FILE", request.instance, "instance: .mps, .lp or .cip, plain or .gz")->required()->option_text(" ");
  command->add_option("--policy", request.policy, "branching policy: a name ('bough policies' lists them) or a trained model's file")->option_text("NAME|FILE [relpscost]");
  command->add_flag("--strict", request.strict, "a node that the policy cannot decide is an error; otherwise relpscost decides and it is counted");
  command->add_option("--settings", settings.preset, "default, paper, ml4co or a .set file")->option_text("NAME [default]");
  command->add_option("--scip", options->parameters, "set a SCIP parameter; may be repeated")->option_text("NAME=VALUE")->allow_extra_args(false);
  command->add_option("--seed", settings.seed, "permutes the problem and seeds SCIP and the policy")->check(CLI::Range(0, 2147483647))->option_text("N");
  command->add_option("--time-limit", settings.time_limit_s, "seconds")->check(CLI::NonNegativeNumber)->option_text("S");
  command->add_option("--node-limit", settings.node_limit, "branch-and-bound nodes")->check(CLI::NonNegativeNumber)->option_text("N");
  command->add_option("--memory-limit", settings.memory_limit_mb, "megabytes")->check(CLI::NonNegativeNumber)->option_text("MB");
  command->add_option("--objective-limit", settings.objective_limit, "look only for better solutions than this")->option_text("X");
  command->add_option("--solution", options->solution_file, "write the best solution here")->option_text("FILE");
  command->add_option("--trace", options->trace_file, "write the bounds over time here, one JSON object a line")->option_text("FILE");
  command->add_option("--log", options->log_file, "write SCIP's log here")->option_text("FILE");
  auto* explain = command->add_option("--explain", request.n_explained, "show the first N decisions of a policy that scores: candidates, scores, ranks")
                      ->check(CLI::PositiveNumber)->option_text("N");
  command->add_flag("--expert", request.explain_expert, "with what full strong branching thinks of them; asking it changes the tree that follows")->needs(explain);
  command->add_option("--explain-file", options->explain_file, "write them here, one JSON object a line, not on stderr")->needs(explain)->option_text("FILE");
  command->add_flag("--json", options->json, "the result as JSON, with every figure and its provenance");
  command->add_flag("-q,--quiet", options->quiet, "no log on stderr");
  command->footer(
      "Examples:\n"
      "  bough solve instances/setcover-easy-0.mps.gz --policy pscost --settings paper --seed 1\n"
      "  bough solve plan.lp --time-limit 60 --solution plan.sol --trace plan.jsonl -q\n"
      "  bough solve plan.mps.gz --scip limits/gap=0.01 --json > result.json\n"
      "  bough solve plan.mps.gz --policy model.safetensors --explain 3 --expert -q\n\n"
      "Ctrl-C ends the solve like a limit: the result so far is printed and written.  A second one ends at once.");
  command->callback([&action, options] { action = [options] { return solve(*options); }; });
}

}  // namespace bough::cli
