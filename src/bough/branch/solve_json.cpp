// SPDX-License-Identifier: Apache-2.0
#include "bough/branch/solve_json.hpp"

#include <cmath>
#include <format>
#include <nlohmann/json.hpp>
#include <utility>

#include "bough/version.hpp"

namespace bough {
namespace {

nlohmann::ordered_json to_json(const ProblemShape& shape) {
  return {{"variables", shape.n_variables}, {"binary", shape.n_binary}, {"integer", shape.n_integer}, {"constraints", shape.n_constraints}, {"in_objective", shape.n_in_objective}};
}

nlohmann::ordered_json to_json(const BranchingCounts& counts, double solve_time_s) {
  nlohmann::ordered_json fallbacks = nlohmann::ordered_json::object();
  for (std::size_t reason = 0; reason < n_fallback_reasons; ++reason) fallbacks[std::string(fallback_names[reason])] = counts.fallbacks[reason];
  return {{"decisions", counts.n_decisions},
          {"fallbacks", fallbacks},
          {"extraction_s", counts.extraction_s},
          {"inference_s", counts.inference_s},
          {"total_s", counts.total_s},
          {"share_of_solve_time", solve_time_s > 0 ? counts.total_s / solve_time_s : 0}};
}

}  // namespace

nlohmann::ordered_json finite_or_null(double value) { return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr); }

nlohmann::ordered_json trace_json(const TracePoint& point) {
  return {{"time", point.time_s},
          {"primal_bound", finite_or_null(point.primal_bound)},
          {"dual_bound", finite_or_null(point.dual_bound)},
          {"gap", finite_or_null(point.gap)},
          {"nodes", point.n_nodes}};
}

nlohmann::ordered_json solve_json(const SolveRequest& request, const SolveResult& result) {
  const RunStatistics& s = result.statistics;
  const auto& settings = request.settings;
  const auto or_null = [](const auto& value) { return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr); };
  nlohmann::ordered_json check = nullptr;
  if (result.solution_check) {
    check = {{"feasible", result.solution_check->readable ? nlohmann::ordered_json(result.solution_check->feasible) : nlohmann::ordered_json(nullptr)},
             {"objective", finite_or_null(result.solution_check->objective)},
             {"complaint", result.solution_check->complaint}};
  }
  return {
      {"status", s.status},
      {"proven", s.proven},
      {"primal_bound", finite_or_null(s.primal_bound)},
      {"dual_bound", finite_or_null(s.dual_bound)},
      {"gap", finite_or_null(s.gap)},
      {"objective_sense", s.maximise ? "maximise" : "minimise"},
      {"nodes", s.n_nodes},
      {"fair_nodes", s.n_nodes + 2 * (s.n_branching_reductions + s.n_branching_cutoffs)},
      {"runs", s.n_runs},
      {"max_depth", s.max_depth},
      {"solutions_found", s.n_solutions},
      {"lp_iterations", s.n_lp_iterations},
      {"strong_branching_iterations", s.n_strong_branching_iterations},
      {"time",
       {{"total", s.time_s},
        {"presolve", s.presolve_time_s},
        {"root", s.root_time_s},
        {"root_branching", s.root_branching_time_s},
        {"lp", or_null(s.lp_time_s)},
        {"branching", s.branching_time_s},
        {"heuristics", s.heuristics_time_s},
        {"reading", result.reading_time_s},
        {"checking", result.checking_time_s}}},
      {"branching", to_json(result.branching, s.time_s)},
      {"solution_check", check},
      {"instance",
       {{"file", request.instance.string()},
        {"sha256", result.instance_sha256},
        {"original", to_json(result.original)},
        {"presolved", to_json(result.presolved)}}},
      {"policy", request.policy},
      {"model", result.model_sha256.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json{{"sha256", result.model_sha256}}},
      {"settings", {{"preset", settings.preset}, {"seed", or_null(effective_seed(settings))}, {"changed_parameters", result.parameters}}},
      {"versions",
       {{"bough", version}, {"commit", commit}, {"scip", std::format("{}.{}.{}", SCIPmajorVersion(), SCIPminorVersion(), SCIPtechVersion())},
        {"lp_solver", SCIPlpiGetSolverName()}}},
      {"scip_statistics", nlohmann::ordered_json::parse(s.scip_statistics)},
  };
}

nlohmann::ordered_json explanation_json(const Explanation& explanation) {
  nlohmann::ordered_json candidates = nlohmann::ordered_json::array();
  for (const ExplainedCandidate& c : explanation.candidates) {
    nlohmann::ordered_json candidate = {
        {"name", c.name}, {"value", c.value}, {"pseudocost_score", c.pseudocost_score}, {"score", c.score}, {"rank", c.rank}};
    if (c.expert_score) {
      candidate["expert_score"] = *c.expert_score;
      candidate["expert_rank"] = *c.expert_rank;
    }
    candidates.push_back(std::move(candidate));
  }
  nlohmann::ordered_json json = {{"decision", explanation.decision}, {"node", explanation.node}, {"depth", explanation.depth},
                                 {"chosen", explanation.candidates[explanation.choice].name}, {"choice", explanation.choice}};
  if (explanation.no_expert) json["no_expert"] = no_label_names[static_cast<std::size_t>(*explanation.no_expert)];
  json["candidates"] = std::move(candidates);
  return json;
}

}  // namespace bough
