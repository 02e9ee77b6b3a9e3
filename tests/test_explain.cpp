// SPDX-License-Identifier: Apache-2.0
//
// What `bough solve --explain` says is what happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bough/branch/explain.hpp"
#include "bough/branch/rule.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "bough/scip/problem.hpp"
#include "tests/models.hpp"
#include "tests/nodes.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

constexpr Architecture tgat{.network = Network::tgat, .d = 16};

Milp setcover() {
  const Family& family = family_by_name("setcover");
  return generate_instance(family, resolve_parameters(family, Size::tiny), 3);
}

struct Trip {
  std::vector<Explanation> explanations;
  std::map<std::int64_t, std::string> branched_on;           ///< node -> variable of its children's bounds
  std::map<std::int64_t, std::vector<double>> expert_scores;  ///< node -> what the expert says when asked directly
};

/// A solve with a random network whose every decision is explained, watched by a visitor that comes before the rule.
Trip trip(bool ask_expert) {
  Trip trip;
  std::exception_ptr error;
  Explainer explainer(ask_expert);
  const ScipPtr owner = create_scip();
  SCIP* scip = owner.get();
  load_problem(scip, setcover());
  include_rule(scip, {.error = &error, .on_decision = [&](SCIP* at, const Candidates& candidates, std::span<const double> scores, std::size_t choice) {
                        trip.explanations.push_back(explainer.explain(at, candidates, scores, choice));
                      }});
  apply_settings(scip, restless_settings().front().second);
  use_model(scip, random_model(tgat, 5), "in memory");
  include_visitor(scip, 2'000'000, [&](SCIP* at) {
    SCIP_NODE* node = SCIPgetCurrentNode(at);
    if (SCIPnodeGetParent(node) != nullptr) {
      SCIP_VAR* variable = nullptr;
      double bound = 0;
      SCIP_BOUNDTYPE type = SCIP_BOUNDTYPE_LOWER;
      int n = 0;
      SCIPnodeGetParentBranchings(node, &variable, &bound, &type, &n, 1);
      trip.branched_on[SCIPnodeGetNumber(SCIPnodeGetParent(node))] = SCIPvarGetName(variable);
    }
    if (ask_expert) {
      Expert expert;
      Label label;
      if (!expert.ask(at, lp_candidates(at), label)) trip.expert_scores[SCIPnodeGetNumber(node)] = label.score;
    }
    return SCIP_DIDNOTRUN;
  });
  run(scip, {}, error);
  return trip;
}

TEST(Explanation, RanksTheCandidateFirstThatWasBranchedOn) {
  const Trip seen = trip(/*ask_expert=*/false);
  ASSERT_GT(seen.explanations.size(), 3U);
  std::size_t n_checked = 0;
  for (std::size_t t = 0; t < seen.explanations.size(); ++t) {
    const Explanation& explanation = seen.explanations[t];
    EXPECT_EQ(explanation.decision, static_cast<std::int64_t>(t) + 1);
    const ExplainedCandidate& chosen = explanation.candidates.at(explanation.choice);
    EXPECT_EQ(chosen.rank, 1);
    EXPECT_EQ(chosen.score, std::ranges::max(explanation.candidates, {}, &ExplainedCandidate::score).score);
    EXPECT_FALSE(chosen.expert_score.has_value());
    if (const auto branched = seen.branched_on.find(explanation.node); branched != seen.branched_on.end()) {
      EXPECT_EQ(branched->second, "t_" + chosen.name);  // SCIP names a variable of the transformed problem so
      ++n_checked;
    }
  }
  EXPECT_GT(n_checked, 2U);
}

TEST(Explanation, HasTheExpertsScores) {
  const Trip seen = trip(/*ask_expert=*/true);
  std::size_t n_checked = 0;
  for (const Explanation& explanation : seen.explanations) {
    if (explanation.no_expert) continue;
    const std::vector<double>& direct = seen.expert_scores.at(explanation.node);
    ASSERT_EQ(direct.size(), explanation.candidates.size());
    // Two calls at one node differ in the last digits: entering and leaving strong branching refreshes the LP solver's basis.
    for (std::size_t k = 0; k < direct.size(); ++k) EXPECT_NEAR(*explanation.candidates[k].expert_score, direct[k], 1e-9 * std::max(1.0, direct[k]));
    EXPECT_EQ(std::ranges::min(explanation.candidates, {}, [](const auto& c) { return *c.expert_rank; }).expert_rank, 1);
    ++n_checked;
  }
  EXPECT_GT(n_checked, 3U);
}

class ExplainCommand : public testing::Test {
 protected:
  ExplainCommand() {
    write_milp(setcover(), at("instance.mps"));
    write_file(at("model.safetensors"), model_bytes(random_model(tgat, 5)));
    std::string tree;
    for (const auto& [name, value] : restless_settings().front().second.overrides) tree += std::format("{} = {}\n", name, value);
    write_file(at("tree.set"), tree);
  }
  [[nodiscard]] std::filesystem::path at(const std::string& name) const { return directory_.path() / name; }
  [[nodiscard]] Finished solve(const std::string& options) const {
    return run_program(words_of("bough solve instance.mps -q --settings tree.set " + options), directory_.path());
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(ExplainCommand, WritesJsonLines) {
  const Finished finished = solve("--policy model.safetensors --explain 2 --expert --explain-file decisions.jsonl --json");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  EXPECT_GE(nlohmann::json::parse(finished.out).at("branching").at("decisions"), 2);
  std::istringstream lines(read_file(at("decisions.jsonl")));
  std::int64_t n = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto decision = nlohmann::json::parse(line);
    EXPECT_EQ(decision.at("decision"), ++n);
    const auto& chosen = decision.at("candidates").at(decision.at("choice").get<std::size_t>());
    EXPECT_EQ(chosen.at("name"), decision.at("chosen"));
    EXPECT_EQ(chosen.at("rank"), 1);
    EXPECT_TRUE(chosen.contains("expert_rank") || decision.contains("no_expert"));
  }
  EXPECT_EQ(n, 2);
}

TEST_F(ExplainCommand, AFullDiskCostsTheExitCodeAndNotTheResult) {
  const Finished finished = solve("--policy random --explain 2 --explain-file /dev/full --json");
  EXPECT_EQ(finished.exit_code, 73);
  EXPECT_TRUE(finished.err.starts_with("bough: cannot write /dev/full: No space left on device")) << finished.err;
  EXPECT_EQ(nlohmann::json::parse(finished.out).at("status"), "optimal");
}

TEST_F(ExplainCommand, PrintsTablesForPeopleBesideTheResult) {
  const Finished finished = solve("--policy random --seed 1 --explain 1");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(finished.err.starts_with("decision 1: node 1, depth 0, ")) << finished.err;
  EXPECT_NE(finished.err.find("* 1   "), std::string::npos) << finished.err;
  EXPECT_TRUE(finished.out.starts_with("status        optimal\n")) << finished.out;
}

}  // namespace
}  // namespace bough::test
