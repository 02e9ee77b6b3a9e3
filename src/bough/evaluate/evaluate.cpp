// SPDX-License-Identifier: Apache-2.0
#include "bough/evaluate/evaluate.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <format>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <optional>

#include "bough/branch/solve_json.hpp"
#include "bough/error.hpp"
#include "bough/evaluate/metrics.hpp"
#include "bough/evaluate/trace.hpp"
#include "bough/file.hpp"
#include "bough/instance/write.hpp"
#include "bough/jobs.hpp"
#include "bough/journal.hpp"
#include "bough/model/model.hpp"
#include "bough/stop.hpp"
#include "bough/version.hpp"

namespace bough {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr std::string_view evaluation_schema = "bough-evaluation/1";
constexpr std::size_t max_kills = 10;        // of one run by somebody else, who may be the kernel short of memory
constexpr std::size_t most_calibrations = 40;

/// One thing to run.
struct Job {
  enum class Kind { run, explained, calibration } kind = Kind::run;
  const SuiteGroup* group = nullptr;
  const Instance* instance = nullptr;
  std::uint32_t seed = 0;
  const SuitePolicy* policy = nullptr;
  std::size_t block = 0;  ///< of a calibration: the (instance, seed) that it precedes

  /// What a record begins with; two jobs are the same if these are.
  [[nodiscard]] Json key() const {
    if (kind == Kind::calibration) return {{"calibration", block}};
    const Json run{{"group", group->name}, {"instance", instance->name}, {"seed", seed}, {"policy", policy->name}};
    return {{kind == Kind::run ? "run" : "explained", run}};
  }
  [[nodiscard]] std::string text() const {
    return kind == Kind::calibration ? "calibration" : std::format("{} {} seed {}", policy->name, instance->name, seed);
  }
};

const std::vector<std::uint32_t>& seeds_of(const Suite& suite, const SuiteGroup& group) { return group.seeds.empty() ? suite.seeds : group.seeds; }

std::vector<Job> plan(const Suite& suite) {
  const auto policy_named = [&](const std::string& name) { return &*std::ranges::find(suite.policies, name, &SuitePolicy::name); };
  std::size_t n_blocks = 0;
  for (const SuiteGroup& group : suite.groups) n_blocks += group.instances.size() * seeds_of(suite, group).size();
  const std::size_t calibrate_every = std::max<std::size_t>(1, n_blocks / most_calibrations);
  std::vector<Job> jobs;
  std::size_t block = 0;
  const auto calibrate = [&] {
    if (suite.calibration) jobs.push_back({.kind = Job::Kind::calibration, .block = block});
  };
  for (const SuiteGroup& group : suite.groups) {
    // Every instance once before any a second time: a run that is stopped early has seen them all.
    for (const std::uint32_t seed : seeds_of(suite, group)) {
      for (const Instance& instance : group.instances) {
        if (block % calibrate_every == 0) calibrate();
        const std::size_t n = group.policies.size();
        for (std::size_t k = 0; k < n; ++k) jobs.push_back({.group = &group, .instance = &instance, .seed = seed, .policy = policy_named(group.policies[(block + k) % n])});
        ++block;
      }
    }
    if (suite.n_explained > 0 && std::ranges::contains(group.policies, suite.explained_policy)) {
      jobs.push_back({.kind = Job::Kind::explained, .group = &group, .instance = &group.instances.front(), .seed = seeds_of(suite, group).front(), .policy = policy_named(suite.explained_policy)});
    }
  }
  calibrate();  // and one at the end
  return jobs;
}

Json policy_json(const SuitePolicy& policy) {
  Json json{{"name", policy.name}, {"source", policy.source}};
  if (!policy.scip.empty()) json["scip_parameters"] = policy.scip;
  if (!is_model_file(policy.source)) return json;
  const Model model = read_model(policy.source);
  json["source"] = fs::path(policy.source).filename().string();
  json["sha256"] = sha256_of_file(policy.source);
  json["architecture"] = Json::parse(architecture_json(model.architecture));
  if (model.pseudocosts > 0) json["pseudocosts"] = model.pseudocosts;
  json["training"] = Json::parse(model.training);
  return json;
}

/// What two calls must have in common for their records to be comparable.
Json conditions_of(const Suite& suite) {
  const Settings& settings = suite.settings;
  const bool file = !settings.file_sha256.empty();
  return {{"schema", evaluation_schema},
          {"settings", file ? fs::path(settings.preset).filename().string() : settings.preset},
          {"settings_sha256", file ? Json(settings.file_sha256) : Json(nullptr)},
          {"scip_parameters", settings.overrides},
          {"time_limit", *settings.time_limit_s},
          {"memory_limit", settings.memory_limit_mb ? Json(*settings.memory_limit_mb) : Json(nullptr)},
          {"scip", std::format("{}.{}.{}", SCIPmajorVersion(), SCIPminorVersion(), SCIPtechVersion())}};
}

Json machine_json() {
  std::ifstream in("/proc/cpuinfo");
  std::string cpu = "unknown";
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) {
      cpu = line.substr(line.find(':') + 2);
      break;
    }
  }
  return {{"cpu", cpu}, {"cores", ::sysconf(_SC_NPROCESSORS_ONLN)}, {"lp_solver", SCIPlpiGetSolverName()}, {"bough", version}, {"commit", commit}};
}

Json suite_json(const Suite& suite, std::size_t n_planned) {
  Json groups = Json::array();
  for (const SuiteGroup& group : suite.groups) {
    Json names = Json::array();
    for (const Instance& instance : group.instances) names.push_back(instance.name);
    groups.push_back({{"name", group.name}, {"family", group.family}, {"size", group.size}, {"parameters", group.parameters}, {"policies", group.policies}, {"seeds", seeds_of(suite, group)}, {"optima", group.optima}, {"instances", names}});
  }
  Json policies = Json::array();
  for (const SuitePolicy& policy : suite.policies) policies.push_back(policy_json(policy));
  return {{"name", suite.name}, {"note", suite.note}, {"conditions", conditions_of(suite)}, {"seeds", suite.seeds}, {"policies", policies}, {"groups", groups}, {"planned", n_planned},
          {"explain", suite.n_explained > 0 ? Json{{"policy", suite.explained_policy}, {"decisions", suite.n_explained}} : Json(nullptr)}};
}

double load_average() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : -1;
}

class Evaluating {
 public:
  explicit Evaluating(const EvaluateRequest& request) : request_(request), jobs_(plan(request.suite)), states_(jobs_.size()), journal_(request.output / "runs.jsonl") {
    for (std::size_t i = 0; i < jobs_.size(); ++i) index_[jobs_[i].key().dump()] = i;
  }

  bool run() {
    make_directories(request_.output / "instances");
    const DirectoryLock lock(request_.output, "evaluating into");
    remove_leftovers(request_.output / "instances");
    open();
    report("");
    JobRunner runner;
    runner.n_workers = request_.n_workers;
    const double limit = *request_.suite.settings.time_limit_s;
    runner.time_limit_s = std::max(1.1 * limit, limit + request_.overtime_slack_s);
    runner.pinned = true;
    if (request_.suite.settings.memory_limit_mb) runner.memory_limit_mb = static_cast<std::size_t>(1.5 * *request_.suite.settings.memory_limit_mb) + 1024;
    runner.next = [&] { return next(); };
    runner.body = [&](std::size_t job, const auto& send) { return perform(jobs_[job], send).dump(-1, ' ', false, Json::error_handler_t::replace); };
    runner.on_message = [&](std::size_t job, std::string_view gap) { std::from_chars(gap.data(), gap.data() + gap.size(), states_[job].gap.emplace()); };
    runner.on_end = [&](std::size_t job, const JobEnd& end) { ended(job, end); };
    runner.on_tick = [&] { report_running(); };
    runner.stop = [] { return stop_signal() != 0; };
    runner.run();
    return std::ranges::all_of(states_, [](const State& state) { return state.done; });
  }

 private:
  struct State {
    bool done = false;
    bool running = false;
    std::size_t n_kills = 0;
    Clock::time_point start{};    ///< of the job that runs
    std::optional<double> gap{};  ///< of it, as it last said
  };

  /// Goes on with the records that are there, or begins.
  void open() {
    try {
      take_over();
    } catch (const Json::exception& error) {  // something in them is of another type
      throw Error(ExitCode::bad_input, std::format("{} holds what 'bough evaluate' does not write: {}", request_.output.string(), error.what()), "choose another directory, or remove this one");
    }
  }

  void take_over() {
    const fs::path file = request_.output / "suite.json";
    const auto n_planned = std::ranges::count(jobs_, Job::Kind::run, &Job::kind);
    Json now = suite_json(request_.suite, static_cast<std::size_t>(n_planned));
    if (!fs::exists(journal_)) write_file(journal_, "");  // its name is on disk before the first line is appended
    const std::vector<Json> records = read_records();
    if (fs::exists(file)) {
      const Json before = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
      if (!before.is_object() || !before.value("conditions", Json()).is_object() || !before.value("policies", Json()).is_array()) throw Error(ExitCode::bad_input, std::format("{} is damaged", file.string()), "choose another directory, or remove this one");
      const Json known = policies_with_runs(before, records);
      refuse_other_conditions(before, known, now);
      Json former = Json::array();  // should one come back, it has to be the same
      for (const Json& policy : known) {
        if (!has_policy(now["policies"], policy)) former.push_back(policy);
      }
      if (!former.empty()) now["former_policies"] = std::move(former);
      now["machine"] = before.value("machine", machine_json());
    } else {
      now["machine"] = machine_json();
    }
    for (const Json& policy : now["policies"]) model_checksums_[policy["name"].get<std::string>()] = policy.value("sha256", "");
    for (const Json& record : records) {
      const auto found = index_.find(Json{{record.begin().key(), record.begin().value()}}.dump());
      if (found == index_.end()) continue;  // of a group or policy that is no longer in the suite
      refuse_changed_file(jobs_[found->second], record, /*on_disk=*/true);
      const std::string end = record.value("end", "done");
      states_[found->second].done = !(request_.retry && (end == "failed" || end == "crashed"));
    }
    write_file(file, now.dump(2) + "\n");  // after all that may be refused
    // Published data that is still needed is converted again: what became of it shows in the files.
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!states_[i].done && jobs_[i].kind != Job::Kind::calibration && jobs_[i].group->from_data) fs::remove(generated_file(*jobs_[i].group, *jobs_[i].instance));
    }
  }

  std::vector<Json> read_records() const {
    std::vector<Json> records;
    for (const std::string& line : read_journal(journal_)) {
      records.push_back(Json::parse(line, nullptr, /*allow_exceptions=*/false));
      if (!records.back().is_object() || records.back().empty()) throw Error(ExitCode::bad_input, std::format("{} is damaged: a line is not JSON", journal_.string()), "remove that line and run the same command again");
    }
    return records;
  }

  static bool has_policy(const Json& policies, const Json& policy) {
    return std::ranges::any_of(policies, [&](const Json& other) { return other.at("name") == policy.at("name"); });
  }

  /// Of the last call and of those before, as they were then.
  static Json policies_with_runs(const Json& before, const std::vector<Json>& records) {
    std::set<std::string> names;
    for (const Json& record : records) {
      if (const Json& of = record.begin().value(); of.is_object()) names.insert(of.value("policy", ""));
    }
    Json known = Json::array();
    for (const char* list : {"policies", "former_policies"}) {
      for (const Json& policy : before.value(list, Json::array())) {
        if (names.contains(policy.at("name").get<std::string>())) known.push_back(policy);
      }
    }
    return known;
  }

  static std::string key_of_file(const Job& job) { return std::format("{}/{}", job.group->name, job.instance->name); }

  /// All runs of an instance are of one file; at the start (`on_disk`) a file of a folder has to be it still.
  void refuse_changed_file(const Job& job, const Json& record, bool on_disk) {
    if (job.kind != Job::Kind::run) return;
    const auto was = record.value(Json::json_pointer("/result/instance/sha256"), "");
    if (was.empty()) return;  // a run without a result
    const bool of_folder = !job.instance->file.empty() && !job.group->from_data;
    const auto [is, unknown] = instance_checksums_.try_emplace(key_of_file(job));
    if (unknown) is->second = on_disk && of_folder ? sha256_of_file(job.instance->file) : was;
    if (is->second != was) refuse_file(job);
  }

  [[noreturn]] void refuse_file(const Job& job) const {
    const fs::path file = job.instance->file.empty() ? generated_file(*job.group, *job.instance) : job.instance->file;
    throw Error(ExitCode::usage, std::format("{} was changed since {} got runs of it", file.string(), request_.output.string()), "choose another directory, or bring the old file back");
  }

  /// A usage error, which ends the evaluation: runs of two models under one name are worth nothing.
  void refuse_changed_model(const SuitePolicy& policy, const SolveResult& result) const {
    if (result.model_sha256 == model_checksums_.at(policy.name)) return;
    throw Error(ExitCode::usage, std::format("{} was changed while {} was evaluated", policy.source, policy.name), "this run is not recorded; bring the old file back and run the same command again, or choose another directory");
  }

  void refuse_other_conditions(const Json& before, const Json& known_policies, const Json& now) const {
    const auto refuse = [&](const std::string& what, const Json& was, const Json& is) {
      throw Error(ExitCode::usage, std::format("{} holds runs with {} = {}; now it is {}", request_.output.string(), what, was.dump(), is.dump()), "choose another directory, or the suite that was run there");
    };
    // Another suite's noise would be taken for this one's, and its groups would leave the report.
    if (before.value("name", Json(nullptr)) != now["name"]) refuse("suite", before.value("name", Json(nullptr)), now["name"]);
    for (const auto& [key, value] : now["conditions"].items()) {
      if (before["conditions"].value(key, Json(nullptr)) != value) refuse(key, before["conditions"].value(key, Json(nullptr)), value);
    }
    for (const Json& policy : now["policies"]) {
      for (const Json& other : known_policies) {
        if (other["name"] != policy["name"]) continue;
        for (const char* key : {"source", "sha256", "scip_parameters"}) {
          const Json was = other.value(key, Json(nullptr)), is = policy.value(key, Json(nullptr));
          if (was != is) refuse(std::format("{} of the policy {}", key, policy["name"].get<std::string>()), was, is);
        }
      }
    }
  }

  std::optional<std::size_t> next() {
    for (; first_open_ < jobs_.size() && states_[first_open_].done; ++first_open_) {}
    for (std::size_t i = first_open_; i < jobs_.size(); ++i) {
      if (states_[i].done || states_[i].running) continue;
      states_[i].running = true;
      states_[i].start = Clock::now();
      states_[i].gap.reset();
      return i;
    }
    return std::nullopt;
  }

  /// Where an instance lies that is no file of the user's.
  fs::path generated_file(const SuiteGroup& group, const Instance& instance) const {
    return request_.output / "instances" / ((group.from_data ? group.family + "-" : "") + instance.name + ".mps.gz");
  }

  /// The instance as a file, written by whoever needs it first.
  fs::path file_of(const SuiteGroup& group, const Instance& instance) const {
    if (!group.from_data && !instance.file.empty()) return instance.file;
    const fs::path file = generated_file(group, instance);
    if (fs::exists(file)) return file;
    const Family& family = family_by_name(group.family);
    const Size size = group.size.empty() ? Size::easy : static_cast<Size>(std::ranges::find(size_names, group.size) - size_names.begin());
    const Parameters parameters = resolve_parameters(family, size, group.parameters);
    write_milp(group.from_data ? family.from_data(instance.file, parameters) : generate_instance(family, parameters, instance.seed), file);
    return file;
  }

  /// The competition's own bound beside the file, NAME.json: what `ml4co` starts from.
  static std::optional<double> objective_limit_beside(const fs::path& instance) {
    fs::path file = instance;
    if (file.extension() == ".gz") file.replace_extension();
    file.replace_extension(".json");
    if (!fs::exists(file)) return std::nullopt;
    const Json bounds = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
    if (!bounds.is_object() || !bounds.contains("primal_bound") || !bounds["primal_bound"].is_number()) {
      throw Error(ExitCode::bad_input, std::format("{}: expected {{\"primal_bound\": number}}", file.string()), "it lies beside an instance and gives ml4co its objective limit");
    }
    return bounds["primal_bound"].get<double>();
  }

  /// Runs in a worker.
  Json perform(const Job& job, const std::function<void(std::string_view)>& send) const {
    const double load = load_average();
    Json record = job.key();
    if (job.kind == Job::Kind::calibration) {
      const SolveResult result = calibrate();
      record.update(Json{{"time", result.statistics.time_s}, {"nodes", result.statistics.n_nodes}, {"load", load}});
      return record;
    }
    SolveRequest solve;
    solve.instance = file_of(*job.group, *job.instance);
    if (const auto was = instance_checksums_.find(key_of_file(job)); was != instance_checksums_.end() && sha256_of_file(solve.instance) != was->second) refuse_file(job);  // now, and not after an hour
    solve.policy = job.policy->source;
    solve.settings = settings_of(request_.suite, *job.policy);
    solve.settings.seed = job.seed;
    if (solve.settings.preset == "ml4co") solve.settings.objective_limit = objective_limit_beside(solve.instance);
    solve.on_root_done = [&] { if (time_limit_after_root(solve.settings)) send(""); };  // the runner's clock starts anew
    if (job.kind == Job::Kind::explained) {
      Json decisions = Json::array();
      solve.n_explained = request_.suite.n_explained;
      solve.explain_expert = true;
      solve.settings.node_limit = 20 * request_.suite.n_explained;
      solve.on_explained = [&](const Explanation& explanation) { decisions.push_back(explanation_json(explanation)); };
      refuse_changed_model(*job.policy, request_.solve(solve));
      record["decisions"] = std::move(decisions);
      return record;
    }
    Trace trace;
    Clock::time_point sent{};
    solve.on_progress = [&](const TracePoint& point) {
      trace.add({point.time_s, point.primal_bound, point.dual_bound, point.n_nodes});
      if (Clock::now() - sent < std::chrono::seconds(1)) return;  // whoever reads may be held up, and a full pipe would stop SCIP but not its clock
      sent = Clock::now();
      send(std::format("{}", primal_dual_gap(point.primal_bound, point.dual_bound)));
    };
    const SolveResult result = request_.solve(solve);
    refuse_changed_model(*job.policy, result);
    const RunStatistics& s = result.statistics;
    trace.add_last({s.time_s, s.primal_bound, s.dual_bound, s.n_nodes});
    const bool holds = !result.solution_check || result.solution_check->feasible;
    record["end"] = holds ? "done" : "failed";
    if (!holds) record["message"] = result.solution_check->verdict();
    record["result"] = solve_json(solve, result);
    if (!request_.suite.statistics) record["result"].erase("scip_statistics");
    record["result"]["instance"]["file"] = solve.instance.filename().string();
    record["result"]["policy"] = fs::path(solve.policy).filename().string();
    Json& settings = record["result"]["settings"];  // a record holds no path of its machine
    settings["preset"] = fs::path(solve.settings.preset).filename().string();
    if (settings["changed_parameters"].contains("branching/bough/model")) settings["changed_parameters"]["branching/bough/model"] = record["result"]["policy"];
    record["trace"] = trace_to_json(trace.points());
    record["machine"] = {{"load", load}, {"core", ::sched_getcpu()}};
    return record;
  }

  /// A fixed problem and rule: only the machine makes its time vary.
  SolveResult calibrate() const {
    const Family& family = family_by_name("setcover");
    SolveRequest solve;
    solve.instance = request_.output / "instances/calibration.mps";
    solve.policy = "pscost";
    solve.settings.preset = "paper";
    solve.settings.node_limit = 150;
    if (!fs::exists(solve.instance)) write_milp(generate_instance(family, resolve_parameters(family, Size::easy, {{"rows", 150}, {"columns", 300}}), 0), solve.instance);
    return solve_file(solve);
  }

  void ended(std::size_t index, const JobEnd& end) {
    State& state = states_[index];
    const Job& job = jobs_[index];
    state.running = false;
    Json record = job.key();
    switch (end.kind) {
      case JobEnd::Kind::done:
        refuse_changed_file(job, Json::parse(end.text), /*on_disk=*/false);
        append(state, end.text);
        return report(job.text(), job.kind == Job::Kind::run ? std::optional(record_from(Json::parse(end.text))) : std::nullopt);
      case JobEnd::Kind::killed:
        if (++state.n_kills < max_kills) return;  // it is started again
        record["end"] = "crashed";
        break;
      case JobEnd::Kind::failed:
        // A full disk or a parameter that SCIP refuses would hit every run; a file that cannot be read is its own.
        if (end.code == ExitCode::cannot_write || end.code == ExitCode::usage) throw Error(end.code, end.text, end.hint);
        record["end"] = "failed";
        break;
      case JobEnd::Kind::crashed: record["end"] = "crashed"; break;
      case JobEnd::Kind::hung: record["end"] = "overtime"; break;
    }
    record["message"] = end.text;
    append(state, record.dump(-1, ' ', false, Json::error_handler_t::replace));
    report(std::format("{}: {}", job.text(), end.text), job.kind == Job::Kind::run ? std::optional(record_from(record)) : std::nullopt);
  }

  /// Says what is running: a run may take an hour, and nobody should wonder whether it still does.
  void report_running() const {
    std::string running;
    for (std::size_t i = first_open_; i < jobs_.size(); ++i) {
      if (!states_[i].running) continue;
      running += std::format("{}{} for {:.0f} s", running.empty() ? "" : "; ", jobs_[i].text(), std::chrono::duration<double>(Clock::now() - states_[i].start).count());
      if (states_[i].gap) running += std::format(", gap {:.1f} %", 100 * *states_[i].gap);
    }
    if (!running.empty()) report(running);
  }

  void append(State& state, const std::string& line) {
    append_to_journal(journal_, line);
    state.done = true;
  }

  void report(const std::string& detail, std::optional<RunRecord> record = {}) const {
    if (!request_.on_progress) return;
    EvaluateProgress progress;
    progress.record = std::move(record);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].kind != Job::Kind::run) continue;
      ++progress.n_runs;
      progress.n_done += states_[i].done ? 1 : 0;
    }
    progress.detail = detail;
    request_.on_progress(progress);
  }

  const EvaluateRequest& request_;
  std::vector<Job> jobs_;
  std::vector<State> states_;                 // (n_jobs)
  std::map<std::string, std::size_t> index_;  ///< of a job, by its key
  std::map<std::string, std::string> model_checksums_;  ///< by policy, of the file as it was at the start; empty if it has none
  std::map<std::string, std::string> instance_checksums_;  ///< by group and instance
  fs::path journal_;
  std::size_t first_open_ = 0;
};

}  // namespace

bool evaluate(const EvaluateRequest& request) {
  EvaluateRequest lasting = request;
  lasting.suite.settings = pinned(request.suite.settings);
  return Evaluating(lasting).run();
}

}  // namespace bough
