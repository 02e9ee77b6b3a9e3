// SPDX-License-Identifier: Apache-2.0
#include "bough/collect/collect.hpp"

#include <algorithm>
#include <format>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "bough/branch/model_policy.hpp"
#include "bough/branch/policies.hpp"
#include "bough/file.hpp"
#include "bough/foreign_text.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

struct CollectOptions {
  CollectRequest request;
  std::string size = "easy";
  std::string seeds;
  std::string labels = "all";
  std::string start = "anywhere";
  std::string follow = "expert";
  std::string split;
  std::vector<std::string> parameters;
  bool json = false;
  bool quiet = false;
};

template <class Enum, std::size_t n>
Enum chosen(const std::array<std::string_view, n>& names, const std::string& name) {
  return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

void resolve(CollectOptions& options) {
  CollectRequest& request = options.request;
  const bool from_family = !request.seeds.family.empty();
  if (from_family == !request.instances.empty()) {
    throw Error(ExitCode::usage, from_family ? "--instances and --family exclude each other" : "no instances given", "give --instances DIR, or --family F --seeds A..B");
  }
  if (from_family) {
    (void)family_by_name(request.seeds.family);
    if (options.seeds.empty()) throw Error(ExitCode::usage, "--family needs --seeds A..B");
    parse_seeds(options.seeds, "--seeds", request.seeds);
    request.seeds.size = chosen<Size>(size_names, options.size);
  } else if (!options.seeds.empty()) {
    throw Error(ExitCode::usage, "--seeds goes with --family");
  }
  request.sampling.labels = chosen<Labels>(labels_names, options.labels);
  request.sampling.start = chosen<Start>(start_names, options.start);
  request.sampling.follow = chosen<Follow>(follow_names, options.follow);
  if (!options.split.empty()) request.split = chosen<Split>(split_names, options.split);
  request.settings.overrides = parse_parameters(options.parameters);
  // An unknown name, or a file that is no model, is found out before anything is written.
  require_utf8(request.explorer);
  if (is_model_file(request.explorer)) {
    request.explorer_sha256 = sha256_of_file(request.explorer);
    // Read once, for all workers: whatever becomes of the file, the set has one explorer.
    request.make_explorer = [model = std::make_shared<const Model>(read_model(request.explorer))](std::uint64_t) { return std::make_unique<ModelPolicy>(*model); };
  } else {
    request.make_explorer = [name = request.explorer](std::uint64_t seed) { return make_policy(name, seed); };
    (void)request.make_explorer(0);
  }
}

struct Totals {
  std::int64_t n_states = 0, n_labels = 0, n_windows = 0, n_fallbacks = 0;
  std::uint64_t bytes = 0;
  std::map<std::string, std::int64_t> unlabelled, ends;
};

Totals totals_of(const CollectSummary& summary) {
  Totals totals;
  for (const ManifestEntry& entry : summary.episodes) {
    totals.n_states += entry.n_states;
    totals.n_labels += entry.n_labels;
    totals.n_windows += entry.n_windows;
    totals.n_fallbacks += entry.n_fallbacks;
    totals.bytes += entry.bytes;
    ++totals.ends[entry.end];
    for (const auto& [reason, n] : entry.unlabelled) totals.unlabelled[reason] += n;
  }
  return totals;
}

nlohmann::ordered_json to_json(const CollectOptions& options, const CollectSummary& summary, const Totals& totals) {
  nlohmann::ordered_json quarantined = nlohmann::ordered_json::array();
  for (const ManifestEntry& entry : summary.quarantined) quarantined.push_back({{"instance", entry.instance}, {"message", entry.message}});
  const double worker = summary.worker_time_s;
  return {{"set", options.request.output.string()},
          {"complete", summary.complete},
          {"episodes", summary.episodes.size()},
          {"states", totals.n_states},
          {"labels", totals.n_labels},
          {"windows", totals.n_windows},
          {"bytes", totals.bytes},
          {"bytes_per_state", totals.n_states > 0 ? static_cast<double>(totals.bytes) / static_cast<double>(totals.n_states) : 0.0},
          {"unlabelled", totals.unlabelled},
          {"fallbacks", totals.n_fallbacks},
          {"ends", totals.ends},
          {"quarantined", quarantined},
          {"this_run",
           {{"labels", summary.n_new_labels},
            {"episodes", summary.n_new_episodes},
            {"wall_time", summary.wall_time_s},
            {"worker_time", worker},
            {"expert_time", summary.expert_time_s},
            {"share_in_scip", worker > 0 ? 1 - summary.own_time_s / worker : 1.0},
            {"labels_per_second_and_worker", worker > 0 ? static_cast<double>(summary.n_new_labels) / worker : 0.0}}}};
}

std::string to_text(const CollectOptions& options, const CollectSummary& summary, const Totals& totals) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) { text += std::format("{:<14}{}\n", name, value); };
  line("set", bold(options.request.output.string(), stdout) + (summary.complete ? "" : "  (not complete)"));
  line("labels", std::format("{} in {} windows of {} states", totals.n_labels, totals.n_windows, totals.n_states));
  line("episodes", std::format("{}  ({})", summary.episodes.size(), counts_text(totals.ends)));
  if (!totals.unlabelled.empty()) line("no label", counts_text(totals.unlabelled));
  if (totals.n_fallbacks > 0) line("fallbacks", std::format("{} decisions of the explorer were left to SCIP's default rule", totals.n_fallbacks));
  if (totals.n_states > 0) line("size", std::format("{:.1f} MB, {:.1f} KB a state", static_cast<double>(totals.bytes) / 1e6, static_cast<double>(totals.bytes) / 1e3 / static_cast<double>(totals.n_states)));
  if (summary.n_new_episodes > 0) {
    line("time", std::format("{}  ({:.2f} labels/s and worker, {:.1f} % inside SCIP)", duration_text(summary.wall_time_s),
                             static_cast<double>(summary.n_new_labels) / summary.worker_time_s, 100 * (1 - summary.own_time_s / summary.worker_time_s)));
  }
  for (const ManifestEntry& entry : summary.quarantined) line("quarantined", printable(std::format("{}: {}", entry.instance, entry.message)));
  return text;
}

ExitCode collect_set(CollectOptions& options) {
  resolve(options);
  CollectRequest& request = options.request;
  std::optional<Progress> progress;
  request.on_progress = [&](const CollectProgress& now) {
    const bool by_labels = request.n_labels.has_value();
    const auto done = static_cast<std::size_t>(by_labels ? now.n_labels : now.n_episodes);
    if (!progress) progress.emplace("collecting", static_cast<std::size_t>(by_labels ? *request.n_labels : now.n_planned), options.quiet, done);
    const std::string drops = counts_text(now.unlabelled);
    progress->advance(done, std::format("{} labels, {} episodes{}{}", now.n_labels, now.n_episodes, drops.empty() ? "" : ", no label: ", drops));
  };
  const CollectSummary summary = collect(request);
  progress.reset();
  const Totals totals = totals_of(summary);
  print_result(options.json ? json_text(to_json(options, summary, totals)) : to_text(options, summary, totals));
  if (const ExitCode stopped = unless_stopped(ExitCode::ok); stopped != ExitCode::ok) {
    tell_line("stopped; the same command goes on from here");
    return stopped;
  }
  if (!summary.complete) {
    throw Error(ExitCode::partial, std::format("only {} of {} labels: there are no more instances", totals.n_labels, *request.n_labels), "give more instances, or --passes to solve these more often, and run it again");
  }
  if (!summary.quarantined.empty()) {
    std::set<std::string_view> instances;
    for (const auto* entries : {&summary.episodes, &summary.quarantined}) {
      for (const ManifestEntry& entry : *entries) instances.insert(entry.instance);
    }
    throw Error(ExitCode::partial, std::format("{} of {} instances were given up", summary.quarantined.size(), instances.size()),
                "the set is complete without them; --retry tries them again");
  }
  return ExitCode::ok;
}

}  // namespace

void add_collect(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("collect", "Solve instances with full strong branching as the teacher and keep its decisions");
  auto options = std::make_shared<CollectOptions>();
  CollectRequest& request = options->request;
  request.settings.preset = "paper";
  request.settings.time_limit_s = 3600;
  request.n_workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  Sampling& sampling = request.sampling;
  command->add_option("--instances", request.instances, "folder of .mps, .lp and .cip files, plain or .gz")->option_text("DIR");
  command->add_option("--family", request.seeds.family, "or a benchmark family; 'bough generate --help' lists them")->option_text("F");
  command->add_option("--size", options->size, "of the family's instances")->check(CLI::IsMember(size_names))->option_text("SIZE [easy]");
  command->add_option("--seeds", options->seeds, "of the family's instances, both ends included")->option_text("A..B");
  command->add_option("--split", options->split, "only the instances of this part: train (80 %), valid or test (10 % each), by name")->check(CLI::IsMember(split_names))->option_text("PART");
  command->add_option("-o,--output", request.output, "directory of the set; made, or gone on with")->required()->option_text("DIR");
  command->add_option("--states", request.n_labels, "stop at the first episode with which there are this many labelled states")->check(CLI::PositiveNumber)->option_text("N");
  command->add_option("--passes", request.n_passes, "solve every instance so often, each time with its rows and columns in another order")->check(CLI::Range(1, 1000))->option_text("P [1]");
  command->add_option("--window", sampling.window, "consecutive decisions in a window")->check(CLI::Range(1, 1000))->option_text("L [4]");
  command->add_option("--labels", options->labels, "label every state of a window, or only the last")->check(CLI::IsMember(labels_names))->option_text("all|last [all]");
  command->add_option("--start", options->start, "windows from the root on, or at random places")->check(CLI::IsMember(start_names))->option_text("first|anywhere [anywhere]");
  command->add_option("--expert-probability", sampling.probability, "that a window starts at a decision outside of one")->check(CLI::Range(0.0, 1.0))->option_text("P [0.05]");
  command->add_option("--expert-candidates", sampling.max_candidates, "ask the expert about so many candidates of a state, drawn at random; the state keeps only these")->check(CLI::Range(2, 1'000'000))->option_text("N [all]");
  command->add_option("--explorer", request.explorer, "policy that decides where the expert does not")->option_text("POLICY [pscost]");
  command->add_option("--follow", options->follow, "who decides at a labelled state")->check(CLI::IsMember(follow_names))->option_text("expert|explorer [expert]");
  command->add_option("--episode-states", sampling.max_labels, "labelled states after which an episode opens no more windows")->check(CLI::PositiveNumber)->option_text("N [32]");
  command->add_option("--episode-nodes", sampling.max_nodes, "nodes at which an episode ends")->check(CLI::PositiveNumber)->option_text("N [10000]");
  command->add_flag("--khalil", sampling.khalil, "keep Khalil's 72 features of the candidates too");
  command->add_option("--settings", request.settings.preset, "default, paper, ml4co or a .set file")->option_text("NAME [paper]");
  command->add_option("--scip", options->parameters, "set a SCIP parameter; may be repeated")->option_text("NAME=VALUE")->allow_extra_args(false);
  command->add_option("--seed", request.seed, "of everything that is random")->option_text("N [0]");
  command->add_option("--workers", request.n_workers, "processes at a time")->check(CLI::Range(1, 4096))->option_text("W [cores]");
  command->add_option("--time-limit", request.settings.time_limit_s, "safety net for one episode, seconds; an episode that meets it is marked")->check(CLI::PositiveNumber)->option_text("S [3600]");
  command->add_option("--memory-limit", request.memory_limit_mb, "of one worker, megabytes")->check(CLI::PositiveNumber)->option_text("MB [8192]");
  command->add_flag("--retry", request.retry, "give quarantined instances another chance");
  command->add_flag("--json", options->json, "the summary as JSON");
  command->add_flag("-q,--quiet", options->quiet, "no progress on stderr");
  command->footer(
      "Examples:\n"
      "  bough collect --family setcover --size easy --seeds 0..999 --states 4000 -o sets/train\n"
      "  bough collect --instances plans --split train -o sets/train\n"
      "  bough collect --instances plans --split valid -o sets/valid --window 1\n\n"
      "The same command goes on with a set that was interrupted, in whatever way.  The set's bytes do not depend on\n"
      "interruptions or on --workers.  'bough inspect DIR' shows and verifies it; docs/formats.md describes the files.");
  command->callback([&action, options] { action = [options] { return collect_set(*options); }; });
}

}  // namespace bough::cli
