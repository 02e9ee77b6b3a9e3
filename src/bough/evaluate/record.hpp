// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bough {

/// The bounds at one moment of a solve; +-infinity where there is none.
struct BoundPoint {
  double time_s = 0;
  double primal = std::numeric_limits<double>::infinity();
  double dual = -std::numeric_limits<double>::infinity();
  std::int64_t n_nodes = 0;

  bool operator==(const BoundPoint&) const = default;
};

/// One solve of a suite, as plain numbers: what metrics and reports are made of.  The line of JSON that it comes from has more
/// (docs/formats.md).
struct RunRecord {
  std::string group;     ///< of instances: "setcover-easy", or a name that the suite gives
  std::string instance;
  std::uint32_t seed = 0;
  std::string policy;    ///< its name in the suite

  std::string end;       ///< "done"; "overtime": ended from outside; "crashed", "failed": no result, `message` says why
  std::string message;
  std::string status;    ///< of a solve that is done: "optimal", "time-limit", ...; otherwise empty
  bool proven = false;   ///< the search ended by itself
  bool maximise = false;
  bool solution_holds = true;  ///< in the instance's file, if there is a solution
  double primal_bound = 0;
  double dual_bound = 0;

  double time_s = 0;             ///< SCIP's clock
  double root_time_s = 0;        ///< the part that no branching rule can change; in records of versions that did not tell them apart, the first decision too
  double lp_time_s = 0;          ///< node LPs
  double branching_time_s = 0;   ///< all branching rules, strong branching included
  double heuristics_time_s = 0;  ///< 0 in records of versions that did not know it
  double policy_time_s = 0;      ///< observing, inferring, deciding, of a policy that scores
  std::int64_t n_nodes = 0;
  std::int64_t n_fair_nodes = 0;  ///< docs/metrics.md
  std::int64_t n_lp_iterations = 0;
  std::int64_t n_strong_branching_iterations = 0;
  std::int64_t n_decisions = 0;
  std::map<std::string, std::int64_t> fallbacks;  ///< by reason; only those that happened

  std::vector<BoundPoint> trace;  ///< by time; the last point is the end of the solve

  [[nodiscard]] bool solved() const { return end == "done" && proven; }
  [[nodiscard]] std::int64_t n_fallbacks() const;
};

/// Reads one line of DIR/runs.jsonl.  Throws Error (bad_input) if something is missing or of another type.
RunRecord record_from(const nlohmann::ordered_json& line);

/// A policy of a suite.
struct PolicyInfo {
  std::string name;
  std::string source;   ///< the rule's name, or the model file's name
  std::string network;  ///< "tgat", ...; empty for a rule
  std::map<int, double> accuracy;  ///< top-k on the validation set, by k; empty if unknown
  std::vector<std::pair<std::string, std::string>> scip_parameters{};  ///< its own, name and value
  double pseudocosts = 0;          ///< how much they count when a model decides (docs/model.md, section 6)
};

/// Instances of one kind.
struct GroupInfo {
  std::string name;
  std::string family;  ///< empty for a folder of files
  std::string size;
  std::vector<std::string> instances{};
  std::vector<std::string> policies{};  ///< those that take part, in the suite's order; empty: all
  std::vector<std::uint32_t> seeds{};   ///< those of the suite's that are used; empty: all
  std::map<std::string, double> parameters{};  ///< of generated ones, where they differ from the size's
};

/// Two policies that cannot both be right, or one that contradicts the reference.
struct Disagreement {
  std::string group;
  std::string instance;
  std::string text;  ///< who says what of it
};

/// A repeated solve that shows how steady the machine was.
struct Calibration {
  double time_s = 0;
  double load = 0;  ///< the machine's, one minute's average, when it began
};

/// Everything that a directory of `bough evaluate` holds.
struct Evaluation {
  std::string name;
  std::string note;              ///< what the suite says of itself, its reductions among them
  std::string settings;          ///< preset, or the name of a .set file
  std::string settings_sha256{};  ///< of the file
  std::vector<std::pair<std::string, std::string>> scip_parameters{};  ///< on top of them, name and value
  double time_limit_s = 0;
  std::vector<std::uint32_t> seeds;
  std::vector<GroupInfo> groups;
  std::vector<PolicyInfo> policies;   ///< in the suite's order
  std::map<std::string, std::string> machine;   ///< "cpu", "cores", "bough", "commit", "scip", "lp_solver", ...
  std::map<std::string, double> references;     ///< known optima by "group/instance"
  std::size_t n_planned = 0;          ///< runs of the whole suite
  std::vector<RunRecord> runs;        ///< in the order of the suite: group, instance, seed, policy
  std::vector<nlohmann::ordered_json> explained;  ///< {group, instance, seed, policy, decisions: [...]} (docs/cli.md, "Explaining decisions")
  std::vector<Calibration> calibrations;  ///< in the order of time
};

/// The names of the policies that take part in a group, in the suite's order.
std::vector<std::string> policies_in(const Evaluation& evaluation, const std::string& group);

/// Reads a directory of `bough evaluate`, finished or not.  Throws Error: missing_input, bad_input.
Evaluation read_evaluation(const std::filesystem::path& directory);

}  // namespace bough
