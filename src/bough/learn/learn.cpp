// SPDX-License-Identifier: Apache-2.0
#include "bough/learn/learn.hpp"

#include <algorithm>
#include <chrono>
#include <format>
#include <nlohmann/json.hpp>

#include "bough/branch/policies.hpp"
#include "bough/collect/collect.hpp"
#include "bough/dataset/inspect.hpp"
#include "bough/error.hpp"
#include "bough/evaluate/evaluate.hpp"
#include "bough/file.hpp"
#include "bough/journal.hpp"
#include "bough/model/model.hpp"
#include "bough/report/report.hpp"
#include "bough/stop.hpp"

namespace bough {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t n_probed = 6;
constexpr std::int64_t first_labels = 48;  // after which the expert's rate is known
constexpr int window = 4;

struct Stopped {};

class Learning {
 public:
  explicit Learning(const LearnRequest& request) : request_(request), instances_(instances_in(request.instances)) {}

  Learned run() {
    const Parts parts = deal(instances_, request_.seed);
    make_directories(request_.output);
    const DirectoryLock lock(request_.output, "learning into");
    open();
    say("{} instances: {} to learn from, {} to choose the model with, {} to judge it on", instances_.size(), parts.train.size(), parts.valid.size(), parts.held_out.size());

    const Probe probe = probe_instances(parts);
    if (const std::string reason = hopeless(probe); !reason.empty()) throw Error(ExitCode::bad_input, reason);
    const Plan plan = plan_of(request_.budget_s, probe, parts, request_.networks.size(), n_rules);
    say("SCIP takes {:.1f} s and {:.0f} nodes on average, {:.0f} % of the time after the root node; of the budget {:.0f} s go to full strong branching, {:.0f} s to training, and {} instances will judge", probe.mean_time_s,
        probe.mean_nodes, 100 * probe.share_after_root, plan.collect_s, plan.train_s, plan.n_held_out);

    // In small trees every decision is asked for; in large ones windows begin anywhere, so that deep nodes are seen too.
    const Start start = probe.mean_nodes < 400 ? Start::first : Start::anywhere;
    collect_set("train", parts.train, start, 0.85 * plan.collect_s);
    collect_set("valid", parts.valid, start, 0.15 * plan.collect_s);
    train(plan.train_s / static_cast<double>(request_.networks.size()));
    const std::string chosen = choose(parts, plan);
    return judge(parts, plan, chosen);
  }

 private:
  static constexpr std::size_t n_rules = 2;

  template <class... Arguments>
  void say(std::format_string<Arguments...> text, Arguments&&... arguments) const {
    if (request_.say) request_.say(std::format(text, std::forward<Arguments>(arguments)...));
  }

  // ---- what is remembered between calls: learn.json ---------------------------------------------------------------------------------
  void open() {
    Json names = Json::array();
    for (const Instance& instance : instances_) names.push_back(instance.name);
    const Json now{{"instances", names}, {"budget", request_.budget_s}, {"networks", request_.networks}, {"settings", request_.settings}, {"seed", request_.seed}};
    const fs::path file = request_.output / "learn.json";
    if (fs::exists(file)) {
      state_ = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
      if (!state_.is_object() || !state_.contains("request")) throw Error(ExitCode::bad_input, std::format("{} is damaged", file.string()), "choose another directory, or remove this one");
      for (const auto& [key, value] : now.items()) {
        if (state_["request"].value(key, Json(nullptr)) == value) continue;
        throw Error(ExitCode::usage, std::format("{} was begun with other {}", request_.output.string(), key), "choose another directory, or the same instances and options");
      }
      return;
    }
    state_["request"] = now;
    save();
  }
  void save() const { write_file(request_.output / "learn.json", state_.dump(2) + "\n"); }

  /// A number that is found once and then kept: a plan must not change when a run goes on.
  template <class Find>
  std::int64_t once(const std::string& name, Find&& find) {
    if (!state_.contains(name)) {
      const std::int64_t value = find();
      state_[name] = value;
      save();
    }
    return state_[name].get<std::int64_t>();
  }

  // ---- the steps ----------------------------------------------------------------------------------------------------------------------
  std::vector<Instance> named(const std::vector<std::string>& names, std::size_t most) const {
    std::vector<Instance> found;
    for (const Instance& instance : instances_) {
      if (found.size() < most && std::ranges::contains(names, instance.name)) found.push_back(instance);
    }
    return found;
  }

  Evaluation evaluate_on(const std::string& step, std::vector<Instance> instances, std::vector<SuitePolicy> policies, double limit_s, int n_workers, const std::string& note) {
    EvaluateRequest evaluation;
    Suite& suite = evaluation.suite;
    suite.name = std::format("learn: {}", step);
    suite.note = note;
    suite.settings.preset = request_.settings;
    suite.settings.time_limit_s = limit_s;
    suite.statistics = false;
    suite.calibration = step == "judge";
    SuiteGroup group{.name = fs::weakly_canonical(request_.instances).filename().string(), .instances = std::move(instances)};
    for (const SuitePolicy& policy : policies) group.policies.push_back(policy.name);
    suite.policies = std::move(policies);
    suite.groups.push_back(std::move(group));
    evaluation.output = request_.output / step;
    evaluation.n_workers = n_workers;
    if (request_.on_progress) evaluation.on_progress = [&](const EvaluateProgress& now) { request_.on_progress(step, now.n_done, now.n_runs, now.last); };
    if (!evaluate(evaluation)) throw Stopped();
    return read_evaluation(evaluation.output);
  }

  Probe probe_instances(const Parts& parts) {
    const double limit_s = std::max(5.0, 0.05 * request_.budget_s / static_cast<double>(n_rules * n_probed));
    const Evaluation evaluation = evaluate_on("probe", named(parts.train, n_probed), {{"relpscost", "relpscost"}, {"pscost", "pscost"}}, limit_s, request_.n_workers, "");
    for (const RunRecord& run : evaluation.runs) {
      if (run.end == "failed" || run.end == "crashed") throw Error(ExitCode::bad_input, std::format("{} cannot be solved: {}", run.instance, run.message), "take it out of the folder and run the same command again");
      if (run.status == "infeasible" || run.status == "unbounded") throw Error(ExitCode::bad_input, std::format("{} is {}: there is no optimum to search for", run.instance, run.status), "take such instances out of the folder");
    }
    refuse_pure_problems(evaluation);
    return probe_of(evaluation);
  }

  /// LPs have nothing to branch on, and without an objective there are no gains for full strong branching to compare.
  void refuse_pure_problems(const Evaluation& evaluation) const {
    std::size_t n_continuous = 0, n_without_objective = 0;
    for (const std::string& line : read_journal(request_.output / "probe" / "runs.jsonl")) {
      const Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!record.contains("result")) continue;
      const Json& shape = record["result"]["instance"]["original"];
      n_continuous += shape["binary"].get<int>() + shape["integer"].get<int>() == 0 ? 1 : 0;
      n_without_objective += shape["in_objective"].get<int>() == 0 ? 1 : 0;
    }
    const std::size_t n = evaluation.runs.size();
    if (n_continuous == n) throw Error(ExitCode::bad_input, "these are linear programs: without integer variables nothing is branched on, and there is nothing to learn");
    if (n_without_objective == n) {
      throw Error(ExitCode::bad_input, "these are pure feasibility problems: without an objective, full strong branching sees no difference between candidates, so it cannot teach",
                  "an objective that you would like to see small, even an artificial one, changes that");
    }
  }

  void collect_set(const std::string& part, const std::vector<std::string>& names, Start start, double time_s) {
    const auto collect_up_to = [&](std::int64_t n_labels) {
      CollectRequest request;
      request.instances = request_.instances;
      request.only = names;
      request.output = request_.output / "sets" / part;
      request.n_labels = n_labels;
      request.sampling.window = window;
      request.sampling.start = start;
      request.make_explorer = [](std::uint64_t seed) { return make_policy("pscost", seed); };
      request.settings.preset = request_.settings;
      request.settings.time_limit_s = 3600;
      request.seed = request_.seed;
      request.n_workers = request_.n_workers;
      if (request_.on_progress) request.on_progress = [&](const CollectProgress& now) { request_.on_progress(std::format("collecting ({})", part), static_cast<std::size_t>(now.n_labels), static_cast<std::size_t>(n_labels), std::format("{} episodes", now.n_episodes)); };
      const CollectSummary summary = collect(request);
      if (stop_signal() != 0) throw Stopped();
      return summary;
    };
    const std::int64_t n_labels = once(part + "_labels", [&] {
      const auto begin = std::chrono::steady_clock::now();
      const CollectSummary first = collect_up_to(first_labels);
      const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      return labels_for(time_s, static_cast<double>(std::max<std::int64_t>(1, first.n_new_labels)) / std::max(0.01, elapsed_s));
    });
    const CollectSummary all = collect_up_to(n_labels);
    std::int64_t n_found = 0;
    for (const ManifestEntry& entry : all.episodes) n_found += entry.n_labels;
    if (n_found < 16) throw Error(ExitCode::bad_input, std::format("full strong branching could label only {} states of {} instances: they are solved with hardly any branching", n_found, names.size()), "larger or more instances would give more");
    say("{}: {} states labelled by full strong branching, of {} instances", part, n_found, all.episodes.size());
  }

  fs::path model_path(const std::string& network) const { return request_.output / "models" / (network + ".safetensors"); }

  void train(double time_s) {
    make_directories(request_.output / "models");
    for (const std::string& network : request_.networks) {
      const auto arguments = [&](const fs::path& model, std::int64_t epochs) {
        return std::vector<std::string>{"--data", (request_.output / "sets/train").string(), "--valid", (request_.output / "sets/valid").string(), "--policy", network, "--config", (request_.output / "models/train.toml").string(),
                                        "--epochs", std::to_string(epochs), "--threads", std::to_string(request_.n_workers), "--seed", std::to_string(request_.seed), "-o", model.string(), "-q"};
      };
      const auto run = [&](std::vector<std::string> words, const fs::path& model) {
        fs::path checkpoint = model;
        if (fs::exists(checkpoint.replace_extension(".checkpoint.safetensors"))) words.emplace_back("--resume");
        const int code = request_.train(words);
        if (stop_signal() != 0) throw Stopped();
        if (code != 0) throw Error(static_cast<ExitCode>(code), std::format("training {} failed", network));
      };
      write_file(request_.output / "models/train.toml", "batch = 2\naverage = 0.998\n");
      const fs::path model = model_path(network);
      const std::int64_t epochs = once(network + "_epochs", [&] {
        // One epoch, timed by itself: starting libtorch takes longer than an epoch of a small set.
        const TemporaryDirectory scratch;
        run(arguments(scratch.path() / "timing.safetensors", 1), scratch.path() / "timing.safetensors");
        const Json epoch = Json::parse(read_file(scratch.path() / "timing.metrics.jsonl"));
        return static_cast<std::int64_t>(epochs_for(time_s, epoch.at("seconds").get<double>()));
      });
      if (!fs::exists(model)) {
        say("training {}, {} epochs", network, epochs);
        run(arguments(model, epochs), model);
      }
    }
  }

  /// By solving: a network that imitates better need not solve faster.
  std::string choose(const Parts& parts, const Plan& plan) {
    if (request_.networks.size() == 1) return request_.networks.front();
    std::vector<SuitePolicy> candidates;
    for (const std::string& network : request_.networks) candidates.push_back({network, model_path(network).string()});
    const Evaluation evaluation = evaluate_on("choose", named(parts.valid, plan.n_valid_runs), candidates, plan.run_limit_s, 1, "");
    const auto summaries = summarise(evaluation, evaluation.groups.front().name);
    // Times within two hundredths of each other are a tie, which nodes decide.
    const double fastest = std::ranges::min(summaries, {}, [](const PolicySummary& s) { return s.time_s.mean; }).time_s.mean;
    const PolicySummary* best = nullptr;
    for (const PolicySummary& s : summaries) {
      if (s.time_s.mean <= 1.02 * fastest && (best == nullptr || s.nodes.mean < best->nodes.mean)) best = &s;
    }
    for (const PolicySummary& s : summaries) say("{}: {:.2f} s, {:.0f} nodes on {} validation instances", s.policy, s.time_s.mean, s.nodes.mean, s.n_runs);
    say("chosen: {}", best->policy);
    return best->policy;
  }

  Learned judge(const Parts& parts, const Plan& plan, const std::string& chosen) {
    const fs::path model = request_.output / "model.safetensors";
    if (!fs::exists(model)) write_file(model, read_file(model_path(chosen)));
    say("judging {} on {} held-out instances", chosen, plan.n_held_out);
    const Evaluation evaluation = evaluate_on("judge", named(parts.held_out, plan.n_held_out), {{"relpscost", "relpscost"}, {"pscost", "pscost"}, {chosen, model.string()}}, plan.run_limit_s, 1,
                                              std::format("Held-out instances of {}. relpscost is what SCIP branches with by default.", fs::weakly_canonical(request_.instances).filename().string()));
    const std::string& group = evaluation.groups.front().name;
    const Json training = Json::parse(read_model(model).training);
    Evidence input{.model = chosen, .rule = "relpscost"};
    input.time = compare(evaluation, group, "relpscost", chosen, Figure::time).value_or(Ratio{});
    for (const PolicySummary& s : summarise(evaluation, group)) {
      if (s.policy == "relpscost") input.share_after_root = s.time_after_root_s.mean / s.time_s.mean;
    }
    const SetReport set = inspect_set(request_.output / "sets/valid");
    input.top1 = training["best"]["top1"].get<double>();
    input.train_top1 = training["best"].value("train_top1", input.top1);
    input.n_labels = training["train"]["labels"].get<std::int64_t>();
    input.chance = set.chance;
    Learned learned{judgement_of(input), model, {}};
    std::vector<Evaluation> evaluations{evaluation};
    evaluations.front().note = learned.judgement.text + " " + evaluation.note;
    if (const auto wrong = disagreements(evaluation); !wrong.empty()) throw Error(ExitCode::failure, std::format("{}: {}", wrong.front().instance, wrong.front().text));
    learned.page = write_report(evaluations, request_.output / "report").front();
    write_file(request_.output / "verdict.txt", learned.judgement.text + "\n");
    return learned;
  }

  const LearnRequest& request_;
  std::vector<Instance> instances_;
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
