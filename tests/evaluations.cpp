// SPDX-License-Identifier: Apache-2.0
#include "tests/evaluations.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <nlohmann/json.hpp>

#include "bough/file.hpp"
#include "bough/rng.hpp"

namespace bough::test {
namespace {

/// About normal, with standard deviation 1.
double bell(Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += rng.uniform();
  return sum;
}

struct Habit {
  double nodes, seconds_per_node, policy_share, branching_share;
};

/// How a policy behaves on an instance of average difficulty.
Habit habit_of(const std::string& policy) {
  if (policy == "relpscost") return {0.22, 0.085, 0, 0.42};
  if (policy == "pscost") return {1.0, 0.011, 0, 0.01};
  if (policy == "gcnn") return {0.55, 0.0125, 0.06, 0.07};
  if (policy == "gat") return {0.52, 0.0128, 0.09, 0.1};
  return {0.47, 0.0129, 0.1, 0.11};
}

RunRecord run_of(const std::string& group, const std::string& instance, std::uint32_t seed, const std::string& policy, double difficulty, double root_s, double limit_s, Rng& rng) {
  const Habit habit = habit_of(policy);
  RunRecord run;
  run.group = group;
  run.instance = instance;
  run.seed = seed;
  run.policy = policy;
  run.end = "done";
  const double noise = std::exp(0.16 * bell(rng));
  run.n_nodes = std::max<std::int64_t>(1, std::llround(420 * difficulty * habit.nodes * noise));
  run.root_time_s = root_s * std::exp(0.03 * bell(rng));
  run.time_s = run.root_time_s + static_cast<double>(run.n_nodes) * habit.seconds_per_node * std::exp(0.06 * bell(rng));
  run.proven = run.time_s < limit_s;
  if (!run.proven) {
    run.n_nodes = std::llround(static_cast<double>(run.n_nodes) * limit_s / run.time_s);
    run.time_s = limit_s;
  }
  run.status = run.proven ? "optimal" : "time-limit";
  const double after_root = run.time_s - run.root_time_s;
  run.policy_time_s = habit.policy_share * after_root;
  run.branching_time_s = habit.branching_share * after_root;
  run.lp_time_s = 0.35 * run.root_time_s + 0.52 * (after_root - run.branching_time_s);
  run.heuristics_time_s = 0.3 * run.root_time_s + 0.25 * (after_root - run.branching_time_s);
  run.n_fair_nodes = run.n_nodes + (policy == "relpscost" ? 3 * run.n_nodes : 0);
  run.n_lp_iterations = 4000 + 38 * run.n_nodes;
  run.n_strong_branching_iterations = policy == "relpscost" ? 90 * run.n_nodes : 0;
  run.n_decisions = habit.policy_share > 0 ? run.n_nodes / 2 : 0;

  const double optimum = 200 + 20 * difficulty, end_dual = run.proven ? optimum : optimum * 0.992;
  double primal = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= 14; ++i) {
    const double share = i / 14.0, time = i == 0 ? 0.15 * run.root_time_s : run.root_time_s * (0.3 + 0.7 * std::min(1.0, share * 3)) + after_root * std::max(0.0, share * 1.5 - 0.5);
    if (i == 1) primal = optimum * 1.25;
    if (i > 1) primal = optimum * (1 + 0.18 * std::pow(1 - share, 2.5));
    if (i > 9) primal = optimum;
    run.trace.push_back({std::min(time, run.time_s), primal, end_dual - optimum * 0.12 * std::pow(1 - share, 1.6), std::llround(static_cast<double>(run.n_nodes) * share)});
  }
  run.primal_bound = optimum;
  run.dual_bound = end_dual;
  return run;
}

nlohmann::ordered_json explained_run(const std::string& group, const std::string& instance, Rng& rng) {
  nlohmann::ordered_json run = {{"group", group}, {"instance", instance}, {"seed", 0}, {"policy", "tgat"}, {"decisions", nlohmann::ordered_json::array()}};
  for (int number = 1; number <= 24; ++number) {
    const int n_candidates = 80 - number - rng.integer(0, 9);
    std::vector<double> expert, score;
    for (int i = 0; i < n_candidates; ++i) {
      expert.push_back(std::exp(1.1 * bell(rng)));
      score.push_back(1.5 * std::log(expert.back()) + 0.9 * bell(rng));
    }
    // Several candidates may end the node: they tie.
    if (number % 5 == 0) {
      for (std::size_t i = 0; i < 6; ++i) expert[i] = 1000;
    }
    const auto rank = [](const std::vector<double>& values, double value) { return 1 + std::ranges::count_if(values, [&](double other) { return other > value; }); };
    const auto choice = std::ranges::max_element(score) - score.begin();
    nlohmann::ordered_json decision = {{"decision", number}, {"node", number == 1 ? 1 : 2 * number + rng.integer(0, 3)}, {"depth", number == 1 ? 0 : rng.integer(1, 3 + number / 2)}, {"candidates", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < expert.size(); ++i) {
      decision["candidates"].push_back({{"name", std::format("x_{}", 7 * i + static_cast<std::size_t>(number))}, {"value", rng.uniform(0.02, 0.98)}, {"score", score[i]}, {"rank", rank(score, score[i])}, {"pseudocost_score", rng.uniform()}, {"expert_score", expert[i]}, {"expert_rank", rank(expert, expert[i])}});
    }
    decision["choice"] = choice;
    decision["chosen"] = decision["candidates"][static_cast<std::size_t>(choice)]["name"];
    run["decisions"].push_back(std::move(decision));
  }
  return run;
}

}  // namespace

Evaluation example_evaluation() {
  Evaluation evaluation;
  evaluation.name = "An example with invented figures";
  evaluation.note = "Two families at their easy size, ten instances each instead of twenty, limit 60 s instead of 3600 s. None of it was measured: it shows what a report looks like.";
  evaluation.settings = "paper";
  evaluation.time_limit_s = 60;
  evaluation.seeds = {0, 1};
  evaluation.groups = {{"setcover-easy", "setcover", "easy", std::vector<std::string>(10)}, {"auction-easy", "auction", "easy", std::vector<std::string>(10)}};
  evaluation.policies = {{"relpscost", "relpscost", "", {}}, {"pscost", "pscost", "", {}},
                         {"gcnn", "setcover-gcnn.safetensors", "gcnn", {{1, 0.545}, {5, 0.851}, {10, 0.931}}}, {"gat", "setcover-gat.safetensors", "gat", {{1, 0.555}, {5, 0.866}, {10, 0.942}}},
                         {"tgat", "setcover-tgat.safetensors", "tgat", {{1, 0.561}, {5, 0.869}, {10, 0.944}}}};
  evaluation.machine = {{"cpu", "Example CPU, 2.4 GHz"}, {"cores", "2"}, {"bough", "0.1.0"}, {"commit", "0123456789ab"}, {"scip", "10.1.0"}, {"lp_solver", "SoPlex 8.1.0"}};
  Rng rng("example evaluation", 0);
  for (const GroupInfo& group : evaluation.groups) {
    const bool cover = group.family == "setcover";
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      const std::string instance = std::format("{}-{}", group.name, 20000 + i);
      const double difficulty = std::exp((cover ? 0.2 : -0.3) + 0.8 * bell(rng));
      evaluation.references[group.name + "/" + instance] = 200 + 20 * difficulty;
      for (const std::uint32_t seed : evaluation.seeds) {
        for (const PolicyInfo& policy : evaluation.policies) evaluation.runs.push_back(run_of(group.name, instance, seed, policy.name, difficulty * std::exp(0.1 * bell(rng)), cover ? 2.4 : 0.9, evaluation.time_limit_s, rng));
        // The optimum is the instance's, whatever the seed made of its difficulty.
        for (auto run = evaluation.runs.end() - static_cast<std::ptrdiff_t>(evaluation.policies.size()); run != evaluation.runs.end(); ++run) {
          const double scale = (200 + 20 * difficulty) / run->primal_bound;
          run->primal_bound *= scale;
          run->dual_bound *= scale;
          for (BoundPoint& point : run->trace) point.primal *= scale, point.dual *= scale;
        }
      }
    }
  }
  evaluation.n_planned = evaluation.runs.size();
  evaluation.explained = {explained_run("setcover-easy", "setcover-easy-20000", rng), explained_run("auction-easy", "auction-easy-20000", rng)};
  for (int i = 0; i < 21; ++i) evaluation.calibrations.push_back({2.31 * std::exp(0.035 * bell(rng)), rng.uniform(0.9, 1.4)});
  return evaluation;
}

std::filesystem::path suite_file(const std::filesystem::path& directory, std::string_view text) {
  write_file(directory / "suite.toml", text);
  return directory / "suite.toml";
}

}  // namespace bough::test
