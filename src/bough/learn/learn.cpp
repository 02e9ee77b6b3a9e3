// SPDX-License-Identifier: Apache-2.0
#include "bough/learn/learn.hpp"

#include <algorithm>
#include <chrono>
#include <format>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "bough/branch/policies.hpp"
#include "bough/collect/collect.hpp"
#include "bough/dataset/inspect.hpp"
#include "bough/error.hpp"
#include "bough/evaluate/evaluate.hpp"
#include "bough/file.hpp"
#include "bough/foreign_text.hpp"
#include "bough/journal.hpp"
#include "bough/model/model.hpp"
#include "bough/report/report.hpp"
#include "bough/scip/settings.hpp"
#include "bough/stop.hpp"

namespace bough {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t n_probed = 6;
constexpr std::size_t fewest_to_choose = 2;
constexpr std::size_t n_judged = 3;        // policies: two of SCIP's rules and the model
constexpr std::int64_t first_labels = 48;  // after which the expert's rate is known; fewer if they already take
constexpr double first_share = 0.1;        // of the time that the set has
constexpr int n_asked = 32;                // candidates of a state to learn from: of hundreds, asking about all costs several states (docs/results/indset.md)

constexpr int most_threads = 1024;         // that bough-train takes

struct Stopped {};

double mean_candidates(const SetReport& set) {
  double sum = 0;
  for (const auto& [n_candidates, n_states] : set.candidates) sum += static_cast<double>(n_candidates * n_states);
  return sum / static_cast<double>(std::max<std::int64_t>(1, set.n_labels));
}

/// One network, trained with one seed, deciding with one weight of pseudocosts.
struct Candidate {
  std::string network;
  std::uint64_t seed = 0;
  double pseudocosts = 0;
  std::string trained;  ///< the file's name in models/, without the ending; candidates that differ in their pseudocosts alone share it
  std::string name;
};

class Learning {
 public:
  explicit Learning(const LearnRequest& request) : request_(request) {
    if (request.recipe) return;
    group_.name = fs::weakly_canonical(request.instances).filename().string();
    instances_ = instances_in(request.instances);
  }

  Learned run() {
    std::optional<Parts> parts;
    if (!request_.recipe) {  // before anything is written: these may be too few, or no settings
      parts = deal(instances_, request_.seed);
      require_utf8(request_.settings);
      try_settings({.preset = request_.settings});
      if (!fs::exists(request_.output / "learn.json")) refuse_copies();
    }
    make_directories(request_.output);
    const DirectoryLock lock(request_.output, "learning into");
    open();
    if (parts) plan(*parts);
    else follow(*request_.recipe);
    save();
    collect_set("train", train_);
    for (const auto& [part, set] : also_) collect_set(part, set);
    collect_set("valid", valid_);
    train();
    return judge(choose());
  }

 private:
  template <class... Arguments>
  void say(std::format_string<Arguments...> text, Arguments&&... arguments) const {
    if (request_.say) request_.say(std::format(text, std::forward<Arguments>(arguments)...));
  }

  // ---- what the steps work on: planned for a folder, or written in a recipe ------------------------------------------------------------
  struct Set {
    CollectRequest request;  ///< without a number of labels: as many as fit in
    double time_s = 0;
    std::string settings{};  ///< a preset; empty: that under which models are chosen and judged
  };

  struct Solves {
    std::vector<Instance> instances;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();  ///< that are solved, however long it takes; a recipe wants all
    double time_s = 0;
  };

  void plan(const Parts& parts) {
    say("{} instances: {} to learn from, {} to choose the model with, {} to judge it on", instances_.size(), parts.train.size(), parts.valid.size(), parts.held_out.size());
    settings_ = request_.settings;
    const Probe probe = probe_instances(parts);
    if (const std::string reason = hopeless(probe); !reason.empty()) throw Error(ExitCode::bad_input, reason);
    const Plan plan = plan_of(request_.budget_s, probe, n_judged, request_.networks.size());
    say("SCIP takes {:.1f} s and {:.0f} nodes on average, {:.0f} % of the time after the root node; of the budget {:.0f} s go to full strong branching, {:.0f} s to training, {}{:.0f} s to judging the model",
        probe.mean_time_s, probe.mean_nodes, 100 * probe.share_after_root, plan.collect_s, plan.train_s, plan.choose_s > 0 ? std::format("{:.0f} s to choosing a model, ", plan.choose_s) : "", plan.judge_s);
    for (auto [set, names, share] : {std::tuple(&train_, &parts.train, 0.85), std::tuple(&valid_, &parts.valid, 0.15)}) {
      set->request.instances = request_.instances;
      set->request.only = *names;
      // In small trees every decision is asked for; in large ones windows begin anywhere, so that deep nodes are seen too.
      set->request.sampling.start = probe.mean_nodes < 400 ? Start::first : Start::anywhere;
      set->time_s = share * plan.collect_s;
      const std::size_t n = names->size();
      set->request.n_passes = once(std::string(set == &train_ ? "train" : "valid") + "_passes", [&] { return passes_for(set->time_s * request_.n_workers, probe, n); });
    }
    train_.request.sampling.max_candidates = n_asked;  // validation keeps all: accuracy is that among all
    for (const std::string& network : request_.networks) candidates_.push_back({.network = network, .seed = request_.seed, .trained = network, .name = network});
    trainer_ = "batch = 2\naverage = 0.998\ntarget = \"soft\"\nselect = \"loss\"\n";  // docs/results/auction.md, levers
    train_s_ = plan.train_s / static_cast<double>(candidates_.size());
    choose_ = {named(parts.valid), fewest_to_choose, plan.choose_s};
    judge_ = {named(parts.held_out), least_instances, plan.judge_s};
    run_limit_s_ = plan.run_limit_s;
  }

  void follow(const Recipe& recipe) {
    settings_ = recipe.settings;
    group_.name = recipe.name;
    group_.family = recipe.train.family;
    group_.size = size_names[static_cast<std::size_t>(recipe.train.size)];
    for (auto [set, seeds, n_labels] : {std::tuple(&train_, &recipe.train, recipe.n_train), std::tuple(&valid_, &recipe.valid, recipe.n_valid)}) {
      set->request.seeds = *seeds;
      set->request.sampling = recipe.sampling;
      set->request.n_labels = n_labels;
    }
    valid_.request.sampling.max_candidates = 0;  // accuracy is that among all
    std::int64_t n_train = recipe.n_train;
    for (const Recipe::Also& also : recipe.also) {
      n_train += also.n_labels;
      Set set = train_;
      set.request.seeds = also.instances;
      set.request.n_labels = also.n_labels;
      set.settings = also.settings;
      also_.emplace_back("train-" + also.settings, std::move(set));
    }
    for (const std::string& network : recipe.networks) {
      for (const std::uint64_t seed : recipe.seeds) {
        const bool is_only = recipe.seeds.size() == 1 && recipe.pseudocosts == std::vector<double>{0};  // of its network
        const std::string trained = is_only ? network : std::format("{}-{}", network, seed);
        for (const double weight : recipe.pseudocosts) {
          candidates_.push_back({network, seed, weight, trained, recipe.pseudocosts.size() == 1 ? trained : std::format("{}-pseudocosts-{}", trained, weight)});
        }
      }
    }
    trainer_ = recipe.trainer;
    choose_.instances = instances_of(recipe.choose);
    judge_.instances = instances_of(recipe.judge);
    run_limit_s_ = recipe.time_limit_s;
    say("{}: {} states to learn from, {} to validate, {} models to choose from, {} instances to choose with, {} to judge on", recipe.name, n_train, recipe.n_valid, candidates_.size(), choose_.instances.size(), judge_.instances.size());
  }

  // ---- what is remembered between calls: learn.json ---------------------------------------------------------------------------------
  void open() {
    Json now;
    if (request_.recipe) {
      now = {{"recipe", request_.recipe->text}};
    } else {
      Json names = Json::array();
      for (const Instance& instance : instances_) names.push_back(instance.name);
      now = {{"instances", names}, {"budget", request_.budget_s}, {"networks", request_.networks}, {"settings", request_.settings}, {"seed", request_.seed}};
    }
    const fs::path file = request_.output / "learn.json";
    if (fs::exists(file)) {
      state_ = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
      if (!state_.is_object() || !state_.contains("request") || !state_["request"].is_object()) throw Error(ExitCode::bad_input, std::format("{} is damaged", file.string()), "choose another directory, or remove this one");
      for (const auto& [key, value] : now.items()) {
        if (state_["request"].value(key, Json(nullptr)) == value) continue;
        throw Error(ExitCode::usage, std::format("{} was begun with different {}", request_.output.string(), key), "choose another directory, or the same instances and options");
      }
      return;
    }
    state_["request"] = now;  // saved once there is a plan: until then instances may still be taken out
  }
  void save() const { write_file(request_.output / "learn.json", state_.dump(2) + "\n"); }

  /// A number that is found once and then kept: a plan must not change when a run goes on.
  template <class Find>
  std::int64_t once(const std::string& name, Find&& find) {
    if (!state_.contains(name)) keep(name, find());
    if (!state_[name].is_number_integer()) throw Error(ExitCode::bad_input, std::format("{} is damaged: {} is no number", (request_.output / "learn.json").string(), name), "choose another directory, or remove this one");
    return state_[name].get<std::int64_t>();
  }
  void keep(const std::string& name, std::int64_t value) {
    state_[name] = value;
    save();
  }

  // ---- the steps ----------------------------------------------------------------------------------------------------------------------
  std::vector<Instance> named(const std::vector<std::string>& names) const {
    std::vector<Instance> found;
    for (const std::string& name : names) found.push_back(*std::ranges::find(instances_, name, &Instance::name));
    return found;
  }

  Evaluation evaluate_on(const std::string& step, std::span<const Instance> instances, std::vector<SuitePolicy> policies, double limit_s, int n_workers, const std::string& note = "") {
    EvaluateRequest evaluation;
    Suite& suite = evaluation.suite;
    suite.name = std::format("learn: {}", step);
    suite.note = note;
    suite.settings.preset = settings_;
    suite.settings.time_limit_s = limit_s;
    suite.statistics = false;
    suite.calibration = step == "judge";
    SuiteGroup group = group_;
    group.instances.assign(instances.begin(), instances.end());
    for (const SuitePolicy& policy : policies) group.policies.push_back(policy.name);
    suite.policies = std::move(policies);
    suite.groups.push_back(std::move(group));
    evaluation.output = request_.output / step;
    evaluation.retry = step == "probe";  // a file may have been mended since
    evaluation.n_workers = n_workers;
    if (request_.on_progress) evaluation.on_progress = [&](const EvaluateProgress& now) { request_.on_progress(step, now.n_done, now.n_runs, now.detail); };
    if (!evaluate(evaluation)) throw Stopped();
    return read_evaluation(evaluation.output);
  }

  /// One instance after the other, with every policy, until the time is used up.  Goes by the recorded times: a run that goes on solves as many.
  Evaluation evaluate_within(const std::string& step, const Solves& solves, const std::vector<SuitePolicy>& policies, const std::string& note = "") {
    const std::size_t n_all = solves.instances.size();
    for (std::size_t n = std::min(n_all, solves.fewest);;) {
      Evaluation evaluation = evaluate_on(step, std::span(solves.instances).first(n), policies, run_limit_s_, 1, note);
      double spent_s = 0;
      for (const RunRecord& run : evaluation.runs) spent_s += run.end == "overtime" ? run_limit_s_ : run.time_s;
      const std::size_t next = instances_for(solves.time_s, spent_s, n, n_all);
      if (next == n) return evaluation;
      n = next;
    }
  }

  /// What teaches must not judge, under whatever name or compression.
  void refuse_copies() const {
    std::map<std::string, fs::path> seen;
    for (const Instance& instance : instances_) {
      const auto [first, is_new] = seen.try_emplace(sha256_of(read_file(instance.file)), instance.file);
      if (!is_new) throw Error(ExitCode::bad_input, std::format("{} and {} have the same content", first->second.string(), instance.file.string()), "take one of them out: an instance that was learned from must not judge what was learned");
    }
  }

  Probe probe_instances(const Parts& parts) {
    const double limit_s = std::max(5.0, 0.05 * request_.budget_s / static_cast<double>(2 * n_probed));
    std::vector<Instance> probed = named(parts.train);
    probed.resize(std::min(probed.size(), n_probed));
    const Evaluation evaluation = evaluate_on("probe", probed, {{"relpscost", "relpscost"}, {"pscost", "pscost"}}, limit_s, request_.n_workers);
    for (const RunRecord& run : evaluation.runs) {
      if (run.end == "failed" || run.end == "crashed") throw Error(ExitCode::bad_input, std::format("{} cannot be solved: {}", run.instance, run.message), "take it out of the folder and run the same command again");
      if (run.status.starts_with("infeasible") || run.status == "unbounded") throw Error(ExitCode::bad_input, std::format("{} is {}: there is no optimum to search for", run.instance, run.status), "take such instances out of the folder");
      if (run.end == "done" && !run.proven && run.status != "time-limit" && run.status != "memory-limit") {
        throw Error(ExitCode::bad_input, std::format("{}: SCIP stopped at a {}, which {} sets: such a run proves no optimum, and its time cannot be compared", run.instance, run.status, settings_),
                    "take limits on gap, nodes and solutions out of that file");
      }
    }
    refuse_pure_problems(evaluation);
    return probe_of(evaluation);
  }

  /// LPs have nothing to branch on, and without an objective there are no gains for full strong branching to compare.
  void refuse_pure_problems(const Evaluation& evaluation) const {
    std::set<std::string> probed, continuous, without_objective;  // the journal may know others, which were taken out since
    for (const RunRecord& run : evaluation.runs) probed.insert(run.instance);
    for (const std::string& line : read_journal(request_.output / "probe" / "runs.jsonl")) {
      const Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!record.contains("result")) continue;
      const auto instance = record["run"]["instance"].get<std::string>();
      if (!probed.contains(instance)) continue;
      const Json& shape = record["result"]["instance"]["original"];
      if (shape["binary"].get<int>() + shape["integer"].get<int>() == 0) continuous.insert(instance);
      if (shape["in_objective"].get<int>() == 0) without_objective.insert(instance);
    }
    if (continuous == probed) throw Error(ExitCode::bad_input, "these are linear programs: without integer variables nothing is branched on, and there is nothing to learn");
    if (without_objective == probed) {
      throw Error(ExitCode::bad_input, "these are pure feasibility problems: without an objective, full strong branching sees no difference between candidates, so it cannot teach",
                  "an objective that you would like to see small, even an artificial one, changes that");
    }
  }

  void collect_set(const std::string& part, const Set& set) {
    const double limit_s = episode_limit_for(set.request.n_labels ? std::numeric_limits<double>::infinity() : set.time_s);  // a recipe has no budget
    const auto collect_up_to = [&](std::int64_t n_labels) {
      CollectRequest request = set.request;
      request.output = request_.output / "sets" / part;
      request.n_labels = n_labels;
      request.make_explorer = [](std::uint64_t seed) { return make_policy("pscost", seed); };
      request.settings.preset = set.settings.empty() ? settings_ : set.settings;
      request.settings.time_limit_s = limit_s;
      request.seed = request_.seed;
      request.n_workers = request_.n_workers;
      if (request_.on_progress) request.on_progress = [&](const CollectProgress& now) { request_.on_progress(std::format("collecting ({})", part), static_cast<std::size_t>(now.n_labels), static_cast<std::size_t>(n_labels), std::format("{} episodes", now.n_episodes)); };
      const CollectSummary summary = collect(request);
      if (stop_signal() != 0) throw Stopped();
      return summary;
    };
    const std::int64_t n_labels = set.request.n_labels ? *set.request.n_labels : once(part + "_labels", [&] {
      const std::string first_part = part + "_first_labels";  // kept before so many are asked for: a set only grows
      for (std::int64_t n = once(first_part, [] { return fewest_labels; });; keep(first_part, n *= 2)) {
        const auto begin = std::chrono::steady_clock::now();
        const CollectSummary first = collect_up_to(n);
        const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        // Killed after the last of them and before the rate was kept: only new labels can tell it.
        if (first.n_new_labels == 0 && first.complete) continue;
        if (first.complete && n < first_labels && elapsed_s < first_share * set.time_s) continue;
        const double label_s = std::max(0.01, elapsed_s) / static_cast<double>(std::max<std::int64_t>(1, first.n_new_labels));
        const std::int64_t fit = labels_for(set.time_s, 1 / label_s);
        if (first.complete && static_cast<double>(fit) * label_s > 2 * set.time_s) say("{}: labelling a state takes {:.0f} s here; even the {} that are the least take longer than planned", part, label_s, fit);
        return std::max(n, fit);
      }
    });
    const CollectSummary all = collect_up_to(n_labels);
    if (!all.quarantined.empty()) say("{}: {} instances could not be solved and are left out; the first: {}: {}", part, all.quarantined.size(), all.quarantined.front().instance, all.quarantined.front().message);
    if (set.request.n_labels && !all.complete) {
      throw Error(ExitCode::partial, std::format("all instances of collect.{} together have fewer than {} states", set.settings.empty() ? part : "also", n_labels), "give more seeds in the recipe, or ask for fewer states");
    }
    std::int64_t n_found = 0;
    std::set<std::string_view> instances;
    for (const ManifestEntry& entry : all.episodes) n_found += entry.n_labels, instances.insert(entry.instance);
    if (n_found < fewest_labels) refuse_few_labels(all, n_found, instances.size(), limit_s);
    say("{}: {} states labelled by full strong branching, of {} instances", part, n_found, instances.size());
  }

  [[noreturn]] static void refuse_few_labels(const CollectSummary& all, std::int64_t n_found, std::size_t n_instances, double limit_s) {
    const std::string found = std::format("full strong branching could label only {} states of {} instances", n_found, n_instances);
    if (all.quarantined.size() > n_instances) {
      throw Error(ExitCode::bad_input, std::format("{}: {} others could not be solved; the first: {}: {}", found, all.quarantined.size(), all.quarantined.front().instance, all.quarantined.front().message), "mend what the message says, or leave these instances out");
    }
    const auto n_late = static_cast<std::size_t>(std::ranges::count(all.episodes, "time-limit", &ManifestEntry::end));
    if (2 * n_late > all.episodes.size()) {
      throw Error(ExitCode::bad_input, std::format("{}: {} of {} solves met their limit of {:.0f} s while it was asked", found, n_late, all.episodes.size(), limit_s), "smaller instances of the same kind can teach in the time that these take");
    }
    throw Error(ExitCode::bad_input, found + ": they are solved with hardly any branching", "larger or more instances would give more");
  }

  fs::path model_path(const Candidate& candidate) const { return request_.output / "models" / (candidate.trained + ".safetensors"); }

  void train() {
    make_directories(request_.output / "models");
    const fs::path settings = request_.output / "models/train.toml";
    write_file(settings, trainer_);
    for (const Candidate& candidate : candidates_) {
      const fs::path model = model_path(candidate);
      if (fs::exists(model)) continue;
      const auto run = [&](const fs::path& output, std::optional<std::int64_t> epochs, bool quiet) {
        std::vector<std::string> words{"--data", (request_.output / "sets/train").string(), "--valid", (request_.output / "sets/valid").string(), "--policy", candidate.network, "--config", settings.string(),
                                       "--threads", std::to_string(std::min(request_.n_workers, most_threads)), "--seed", std::to_string(candidate.seed), "-o", output.string()};
        for (const auto& [part, set] : also_) words.insert(words.end(), {"--data", (request_.output / "sets" / part).string()});
        if (epochs) words.insert(words.end(), {"--epochs", std::to_string(*epochs)});
        if (quiet) words.emplace_back("-q");
        fs::path checkpoint = output;
        if (fs::exists(checkpoint.replace_extension(".checkpoint.safetensors"))) words.emplace_back("--resume");
        const int code = request_.train(words);
        if (stop_signal() != 0) throw Stopped();
        if (code > 128) throw Error(ExitCode::failure, std::format("training {} was ended by signal {}", candidate.trained, code - 128), "the same command goes on; 9 is often what a system short of memory sends");
        if (code != 0) throw Error(static_cast<ExitCode>(code), std::format("training {} failed", candidate.trained));
      };
      std::optional<std::int64_t> epochs;  // as many as the recipe says, or as fit
      if (!request_.recipe) {
        epochs = once(candidate.trained + "_epochs", [&] {
          // One epoch, timed by itself: starting libtorch takes longer than an epoch of a small set.
          say("training {} for one epoch, to see how long it takes", candidate.trained);
          const TemporaryDirectory scratch;
          run(scratch.path() / "timing.safetensors", 1, !request_.on_progress);
          const Json epoch = Json::parse(read_file(scratch.path() / "timing.metrics.jsonl"));
          return static_cast<std::int64_t>(epochs_for(train_s_, epoch.at("seconds").get<double>()));
        });
      }
      say("training {}{}", candidate.trained, epochs ? std::format(", {} epochs", *epochs) : "");
      run(model, epochs, !request_.on_progress);
    }
  }

  /// By solving: a network that imitates better need not solve faster.  Of a network's several candidates the best one becomes "NETWORK.safetensors".
  std::string choose() {
    if (candidates_.size() == 1) {
      ship(candidates_.front());
      return candidates_.front().network;
    }
    std::vector<SuitePolicy> policies;
    for (const Candidate& candidate : candidates_) {
      policies.push_back({candidate.name, model_path(candidate).string()});
      if (candidate.pseudocosts > 0) policies.back().scip.emplace_back("branching/bough/pseudocosts", std::format("{}", candidate.pseudocosts));
    }
    const Evaluation evaluation = evaluate_within("choose", choose_, policies);
    const auto summaries = summarise(evaluation, group_.name);
    for (const PolicySummary& s : summaries) say("{}: {:.2f} s, {:.0f} nodes on {} validation instances", s.policy, s.time_s.mean, s.nodes.mean, s.n_runs);
    const auto best_of = [&](std::string_view network) {
      std::vector<const PolicySummary*> among;
      for (const Candidate& candidate : candidates_) {
        if (network.empty() || candidate.network == network) among.push_back(&*std::ranges::find(summaries, candidate.name, &PolicySummary::policy));
      }
      return &*std::ranges::find(candidates_, best_by_solving(among).policy, &Candidate::name);
    };
    for (const Candidate& candidate : candidates_) ship(*best_of(candidate.network));
    const Candidate* best = best_of("");
    say("chosen: {}", best->name);
    return best->network;
  }

  /// Keeps it as its network's model, unless there is one.
  void ship(const Candidate& candidate) const {
    const fs::path shipped = request_.output / "models" / (candidate.network + ".safetensors");
    if (fs::exists(shipped)) return;
    Model model = read_model(model_path(candidate));
    model.pseudocosts = candidate.pseudocosts;
    write_file(shipped, model_bytes(model));
  }

  Learned judge(const std::string& chosen) {
    const fs::path model = request_.output / "model.safetensors";
    if (!fs::exists(model)) write_file(model, read_file(request_.output / "models" / (chosen + ".safetensors")));
    say("judging {} on held-out instances", chosen);
    Evaluation evaluation = evaluate_within("judge", judge_, {{"relpscost", "relpscost"}, {"pscost", "pscost"}, {chosen, model.string()}},
                                            std::format("Held-out instances of {}. relpscost is what SCIP branches with by default.", group_.name));
    for (const auto& [instance, message] : leave_out_failures(evaluation, "relpscost")) {
      say("{} could not be solved with relpscost and does not count: {}", instance, message);
      evaluation.note += std::format(" {} could not be solved with relpscost and does not count.", instance);
    }
    if (evaluation.runs.empty()) throw Error(ExitCode::bad_input, "none of the held-out instances could be solved", std::format("{} has a message for each", (request_.output / "judge/runs.jsonl").string()));
    const std::string& group = group_.name;
    const Json training = Json::parse(read_model(model).training);
    Evidence input{.model = chosen, .rule = "relpscost"};
    input.time = compare(evaluation, group, "relpscost", chosen, Figure::time).value_or(Ratio{});
    for (const PolicySummary& s : summarise(evaluation, group)) {
      if (s.policy == "relpscost") input.share_after_root = s.time_after_root_s.mean / s.time_s.mean;
    }
    const SetReport set = inspect_set(request_.output / "sets/valid");
    input.n_without_result = std::ranges::count_if(evaluation.runs, [&](const RunRecord& run) { return run.policy == chosen && (run.end == "failed" || run.end == "crashed"); });
    input.top1 = training["best"]["top1"].get<double>();
    // Among some of the candidates the best is found more often than among all.
    const int n_asked_about = train_.request.sampling.max_candidates;
    if (n_asked_about == 0 || mean_candidates(set) <= n_asked_about) input.train_top1 = training["best"].value("train_top1", input.top1);
    input.n_labels = training["train"]["labels"].get<std::int64_t>();
    input.chance = set.chance;
    Learned learned{judgement_of(input), model, {}};
    std::vector<Evaluation> evaluations{evaluation};
    evaluations.front().note = learned.judgement.text + " " + evaluation.note;
    if (const auto wrong = disagreements(evaluation); !wrong.empty()) throw Error(ExitCode::failure, std::format("{}: {}", wrong.front().instance, wrong.front().text));
    write_file(request_.output / "verdict.txt", learned.judgement.text + "\n");
    try {
      learned.page = write_report(evaluations, request_.output / "report").front();
    } catch (const Error&) {
      say("{}", learned.judgement.text);  // a page that cannot be drawn hides no verdict
      throw;
    }
    return learned;
  }

  const LearnRequest& request_;
  std::vector<Instance> instances_;  // of the folder
  std::string settings_;
  SuiteGroup group_;                 // what the instances are called in records
  Set train_, valid_;
  std::vector<std::pair<std::string, Set>> also_;  // more to learn from, by name
  std::vector<Candidate> candidates_;
  std::string trainer_;              // settings of bough-train
  double train_s_ = 0;               // for one candidate, of a budget
  Solves choose_, judge_;
  double run_limit_s_ = 0;
  Json state_ = Json::object();
};

}  // namespace

std::optional<Learned> learn(const LearnRequest& request) {
  try {
    return Learning(request).run();
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

}  // namespace bough
