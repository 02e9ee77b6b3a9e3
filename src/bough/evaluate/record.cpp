// SPDX-License-Identifier: Apache-2.0
#include "bough/evaluate/record.hpp"

#include <algorithm>
#include <format>
#include <nlohmann/json.hpp>
#include <tuple>

#include "bough/error.hpp"
#include "bough/evaluate/trace.hpp"
#include "bough/file.hpp"
#include "bough/journal.hpp"

namespace bough {
namespace {

using Json = nlohmann::ordered_json;

double bound(const Json& value, double absent) { return value.is_null() ? absent : value.get<double>(); }

void take_result(const Json& result, RunRecord& record) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  record.status = result.at("status").get<std::string>();
  record.proven = result.at("proven").get<bool>();
  record.maximise = result.at("objective_sense") == "maximise";
  record.primal_bound = bound(result.at("primal_bound"), record.maximise ? -infinity : infinity);
  record.dual_bound = bound(result.at("dual_bound"), record.maximise ? infinity : -infinity);
  if (const Json& check = result.at("solution_check"); check.is_object()) record.solution_holds = check.at("feasible") != false;  // null: nobody knows
  const Json& time = result.at("time");
  record.time_s = time.at("total").get<double>();
  record.root_time_s = time.at("root").get<double>() - time.value("root_branching", 0.0);
  record.lp_time_s = bound(time.at("lp"), 0);
  record.branching_time_s = time.at("branching").get<double>();
  record.heuristics_time_s = time.value("heuristics", 0.0);
  const Json& branching = result.at("branching");
  record.policy_time_s = branching.at("total_s").get<double>();
  record.n_decisions = branching.at("decisions").get<std::int64_t>();
  for (const auto& [reason, n] : branching.at("fallbacks").items()) {
    if (n.get<std::int64_t>() > 0) record.fallbacks[reason] = n.get<std::int64_t>();
  }
  record.n_nodes = result.at("nodes").get<std::int64_t>();
  record.n_fair_nodes = result.at("fair_nodes").get<std::int64_t>();
  record.n_lp_iterations = result.at("lp_iterations").get<std::int64_t>();
  record.n_strong_branching_iterations = result.at("strong_branching_iterations").get<std::int64_t>();
}

/// Calls read(); what is missing or of another type becomes an Error that names the place.
template <class Read>
auto checked(const std::string& place, Read&& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw Error(ExitCode::bad_input, std::format("{} is not what 'bough evaluate' writes: {}", place, error.what()), "an older version may have made it: evaluate again into another directory");
  }
}

RunRecord parse(const Json& line) {
  RunRecord record;
  const Json& run = line.at("run");
  record.group = run.at("group").get<std::string>();
  record.instance = run.at("instance").get<std::string>();
  record.seed = run.at("seed").get<std::uint32_t>();
  record.policy = run.at("policy").get<std::string>();
  record.end = line.at("end").get<std::string>();
  record.message = line.value("message", "");
  if (line.contains("result")) take_result(line["result"], record);
  if (line.contains("trace")) record.trace = trace_from_json(line["trace"], record.maximise);
  return record;
}

PolicyInfo policy_from(const Json& json) {
  PolicyInfo policy{.name = json.at("name").get<std::string>(), .source = json.at("source").get<std::string>(), .network = {}, .accuracy = {}, .scip_parameters = json.value("scip_parameters", decltype(PolicyInfo::scip_parameters)()), .pseudocosts = json.value("pseudocosts", 0.0)};
  if (json.contains("architecture")) policy.network = json["architecture"].at("network").get<std::string>();
  if (const Json training = json.value("training", Json::object()); training.contains("best")) {
    for (const int k : {1, 3, 5, 10}) {
      const std::string name = std::format("top{}", k);
      if (training["best"].contains(name)) policy.accuracy[k] = training["best"][name].get<double>();
    }
  }
  return policy;
}

Evaluation suite_from(const Json& json) {
  Evaluation evaluation;
  evaluation.name = json.at("name").get<std::string>();
  evaluation.note = json.at("note").get<std::string>();
  const Json& conditions = json.at("conditions");
  evaluation.settings = conditions.at("settings").get<std::string>();
  if (const Json checksum = conditions.value("settings_sha256", Json()); checksum.is_string()) evaluation.settings_sha256 = checksum.get<std::string>();
  evaluation.scip_parameters = conditions.value("scip_parameters", decltype(evaluation.scip_parameters)());
  evaluation.time_limit_s = conditions.at("time_limit").get<double>();
  evaluation.seeds = json.at("seeds").get<std::vector<std::uint32_t>>();
  evaluation.n_planned = json.at("planned").get<std::size_t>();
  for (const Json& policy : json.at("policies")) evaluation.policies.push_back(policy_from(policy));
  for (const Json& group : json.at("groups")) {
    evaluation.groups.push_back({group.at("name").get<std::string>(), group.at("family").get<std::string>(), group.at("size").get<std::string>(),
                                 group.at("instances").get<std::vector<std::string>>(), group.at("policies").get<std::vector<std::string>>(), group.value("seeds", evaluation.seeds), group.value("parameters", std::map<std::string, double>())});
    for (const auto& [instance, optimum] : group.at("optima").items()) evaluation.references[evaluation.groups.back().name + "/" + instance] = optimum.get<double>();
  }
  evaluation.machine["scip"] = conditions.at("scip").get<std::string>();
  for (const auto& [key, value] : json.at("machine").items()) evaluation.machine[key] = value.is_string() ? value.get<std::string>() : value.dump();
  return evaluation;
}

/// The place of a run in the suite; empty if it is not part of it.
using Place = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;
class Places {
 public:
  explicit Places(const Evaluation& evaluation) {
    for (std::size_t g = 0; g < evaluation.groups.size(); ++g) {
      const GroupInfo& group = evaluation.groups[g];
      for (std::size_t i = 0; i < group.instances.size(); ++i) instances_[{group.name, group.instances[i]}] = {g, i};
      for (const std::uint32_t seed : group.seeds) {
        seeds_[{group.name, seed}] = static_cast<std::size_t>(std::ranges::find(evaluation.seeds, seed) - evaluation.seeds.begin());
      }
      for (const std::string& name : group.policies) {
        policies_[{group.name, name}] = static_cast<std::size_t>(std::ranges::find(evaluation.policies, name, &PolicyInfo::name) - evaluation.policies.begin());
      }
    }
  }
  [[nodiscard]] std::optional<Place> of(const RunRecord& run) const {
    const auto instance = instances_.find({run.group, run.instance});
    const auto policy = policies_.find({run.group, run.policy});
    const auto seed = seeds_.find({run.group, run.seed});
    if (instance == instances_.end() || policy == policies_.end() || seed == seeds_.end()) return std::nullopt;
    return Place{instance->second.first, instance->second.second, seed->second, policy->second};
  }

 private:
  using Names = std::pair<std::string, std::string>;
  std::map<Names, std::pair<std::size_t, std::size_t>> instances_;
  std::map<Names, std::size_t> policies_;
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> seeds_;
};

}  // namespace

std::int64_t RunRecord::n_fallbacks() const {
  std::int64_t sum = 0;
  for (const auto& [reason, n] : fallbacks) sum += n;
  return sum;
}

std::vector<std::string> policies_in(const Evaluation& evaluation, const std::string& group) {
  const auto found = std::ranges::find(evaluation.groups, group, &GroupInfo::name);
  if (found != evaluation.groups.end() && !found->policies.empty()) return found->policies;
  std::vector<std::string> all;
  for (const PolicyInfo& policy : evaluation.policies) all.push_back(policy.name);
  return all;
}

RunRecord record_from(const Json& line) {
  return checked("a record", [&] { return parse(line); });
}

Evaluation read_evaluation(const std::filesystem::path& directory) {
  const auto file = directory / "suite.json";
  const Json suite = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (suite.is_discarded()) throw Error(ExitCode::bad_input, std::format("{} is damaged: not JSON", file.string()));
  Evaluation evaluation = checked(file.string(), [&] { return suite_from(suite); });
  const Places places(evaluation);
  // Explained decisions of another policy than the suite explains now, or of a group that has left it, are nobody's any more; records of older versions do not say.
  const bool says_which = suite.contains("explain");
  const std::string explained_policy = says_which && suite["explain"].is_object() ? suite["explain"].value("policy", "") : "";
  std::map<Place, RunRecord> runs;  // of two records of one run, the later counts: it was tried again
  const auto journal = directory / "runs.jsonl";
  std::size_t n_lines = 0;
  for (const std::string& text : read_journal(journal)) {
    const std::string place = std::format("{}:{}", journal.string(), ++n_lines);
    const Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object()) throw Error(ExitCode::bad_input, std::format("{} is damaged: not JSON", place), "remove that line; 'bough evaluate' runs again what is missing");
    if (line.contains("calibration")) {
      if (line.contains("time")) evaluation.calibrations.push_back(checked(place, [&] { return Calibration{line["time"].get<double>(), line.value("load", 0.0)}; }));
    } else if (line.contains("explained")) {
      if (!line.contains("decisions")) continue;
      Json explained = checked(place, [&] {
        Json found = line["explained"];
        (void)found.at("group").get<std::string>();
        (void)found.at("policy").get<std::string>();
        found["decisions"] = line["decisions"];
        return found;
      });
      if (says_which && explained["policy"] != explained_policy) continue;
      if (std::ranges::contains(evaluation.groups, explained["group"].get<std::string>(), &GroupInfo::name)) evaluation.explained.push_back(std::move(explained));
    } else {
      RunRecord record = checked(place, [&] { return parse(line); });
      if (const auto at = places.of(record)) runs[*at] = std::move(record);
    }
  }
  for (auto& [place, record] : runs) evaluation.runs.push_back(std::move(record));
  std::ranges::stable_sort(evaluation.explained, {}, [&](const Json& explained) { return std::ranges::find(evaluation.groups, explained["group"].get<std::string>(), &GroupInfo::name) - evaluation.groups.begin(); });
  return evaluation;
}

}  // namespace bough
