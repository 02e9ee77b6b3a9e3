// SPDX-License-Identifier: Apache-2.0
#include "bough/branch/rule.hpp"

#include <objscip/objbranchrule.h>
#include <objscip/objdisp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <format>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bough/branch/model_policy.hpp"
#include "bough/scip/settings.hpp"

namespace bough {
namespace {

// Above every rule of SCIP (the highest, relpscost, has 10,000), below what its large neighbourhood search heuristics set for their
// sub-problems (536,870,911), so that those go on as SCIP's authors tuned them.
constexpr int top_priority = 1'000'000;
constexpr const char* rule_name = "bough";
constexpr const char* model_parameter = "branching/bough/model";
constexpr const char* strict_parameter = "branching/bough/strict";
constexpr const char* pseudocosts_parameter = "branching/bough/pseudocosts";

std::string_view explanation_of(Fallback reason) {
  switch (reason) {
    case Fallback::non_finite_score: return "a score is not finite";
    case Fallback::no_lp_solution: return "its LP is not solved to optimality";
    case Fallback::no_candidates: return "no variable to branch on is fractional in its LP solution";
    case Fallback::external_candidates: return "a constraint branches on something else than fractional variables";
  }
  std::unreachable();
}

class Rule final : public scip::ObjBranchrule {
 public:
  Rule(SCIP* scip, RuleSinks sinks)
      : scip::ObjBranchrule(scip, rule_name, "branches on the candidate that a trained network scores highest", top_priority, /*maxdepth=*/-1,
                            /*maxbounddist=*/1.0),
        sinks_(std::move(sinks)), counts_(sinks_.counts != nullptr ? *sinks_.counts : own_counts_) {}

  static Rule& of(SCIP* scip) {
    if (auto* rule = dynamic_cast<Rule*>(SCIPfindObjBranchrule(scip, rule_name))) return *rule;
    throw Error(ExitCode::usage, "this SCIP has no branching rule 'bough'", "call bough::include_branching() first");
  }

  void use(Policy& policy) {
    model_.reset();
    model_path_.clear();
    policy_ = &policy;
  }
  void use(const Model& model, std::string path) {
    model_ = std::make_unique<ModelPolicy>(model);
    policy_ = model_.get();
    model_path_ = std::move(path);
    named_ = false;
  }

  [[nodiscard]] BranchingCounts& counts() const { return counts_; }

  /// The problem was transformed: a solve begins.
  SCIP_DECL_BRANCHINIT(scip_init) override {
    (void)branchrule;
    return reporting([&] {
      counts_ = {};
      char* wanted = nullptr;
      check(SCIPgetStringParam(scip, model_parameter, &wanted));
      check(SCIPgetBoolParam(scip, strict_parameter, &strict_));
      if (wanted != model_path_ || (named_ && *wanted != '\0')) {
        if (*wanted != '\0') {
          use(read_model(wanted), wanted);
          named_ = true;
        } else {
          model_.reset();
          policy_ = nullptr;
          model_path_.clear();
        }
      }
      if (!model_) return;
      double pseudocosts = 0;
      check(SCIPgetRealParam(scip, pseudocosts_parameter, &pseudocosts));
      model_->set_pseudocosts(pseudocosts);
    });
  }

  SCIP_DECL_BRANCHINITSOL(scip_initsol) override {
    (void)branchrule;
    return reporting([&] {
      if (policy_ == nullptr) return;
      if (SCIPisExact(scip)) throw Error(ExitCode::usage, "in its exact mode SCIP asks no branching rule that is not its own", "set exact/enable to FALSE, or use no model");
      policy_->begin(scip);
    });
  }

  SCIP_DECL_BRANCHEXECLP(scip_execlp) override {
    (void)branchrule;
    (void)allowaddcons;
    *result = SCIP_DIDNOTRUN;  // unless we branch, SCIP asks the next rule
    return reporting([&] {
      if (policy_ == nullptr) return;
      if (SCIPgetLPSolstat(scip) != SCIP_LPSOLSTAT_OPTIMAL) return fall_back(scip, Fallback::no_lp_solution);
      const Candidates candidates = lp_candidates(scip);
      if (candidates.variables.empty()) return fall_back(scip, Fallback::no_candidates);  // fractional are only variables that other ones imply
      const auto best = decide(scip, candidates);
      if (!best) return fall_back(scip, Fallback::non_finite_score);
      SCIP_VAR* variable = candidates.variables[*best];
      if (sinks_.on_decision) sinks_.on_decision(scip, candidates, scores_, *best);
      check(SCIPbranchVar(scip, variable, nullptr, nullptr, nullptr));
      ++counts_.n_decisions;
      *result = SCIP_BRANCHED;
    });
  }

  SCIP_DECL_BRANCHEXECPS(scip_execps) override {
    (void)branchrule;
    (void)allowaddcons;
    *result = SCIP_DIDNOTRUN;
    const bool has_solution = SCIPhasCurrentNodeLP(scip) && SCIPgetLPSolstat(scip) == SCIP_LPSOLSTAT_OPTIMAL;
    return reporting([&] { fall_back(scip, has_solution ? Fallback::no_candidates : Fallback::no_lp_solution); });
  }

  SCIP_DECL_BRANCHEXECEXT(scip_execext) override {
    (void)branchrule;
    (void)allowaddcons;
    *result = SCIP_DIDNOTRUN;
    return reporting([&] { fall_back(scip, Fallback::external_candidates); });
  }

 private:
  /// Scores the candidates.  The first with the highest score; empty if a score is not finite.
  std::optional<std::size_t> decide(SCIP* scip, const Candidates& candidates) {
    const auto start = std::chrono::steady_clock::now();
    scores_.reserve(static_cast<std::size_t>(SCIPgetNLPCols(scip)));
    scores_.assign(candidates.variables.size(), 0.0);
    policy_->score(scip, candidates, scores_);
    std::optional<std::size_t> best;
    if (std::ranges::all_of(scores_, [](double s) { return std::isfinite(s); })) {
      best = static_cast<std::size_t>(std::ranges::max_element(scores_) - scores_.begin());
    }
    counts_.total_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (model_) {
      const auto [extraction_s, inference_s] = model_->take_times();
      counts_.extraction_s += extraction_s;
      counts_.inference_s += inference_s;
    }
    return best;
  }

  void fall_back(SCIP* scip, Fallback reason) {
    if (policy_ == nullptr) return;
    ++counts_.n_fallbacks;
    ++counts_.fallbacks[static_cast<std::size_t>(reason)];
    if (!strict_) return;
    throw Error(ExitCode::failure,
                std::format("the policy cannot decide at node {}: {} ({})", SCIPnodeGetNumber(SCIPgetCurrentNode(scip)), explanation_of(reason),
                            fallback_names[static_cast<std::size_t>(reason)]),
                "without 'strict', SCIP's own rules decide there and the fallback is counted");
  }

  template <class Body>
  SCIP_RETCODE reporting(Body&& body) noexcept {
    if (sinks_.error != nullptr) return guarded(*sinks_.error, body);
    std::exception_ptr error;
    const SCIP_RETCODE code = guarded(error, body);
    if (error) print_error(error);
    return code;
  }

  static void print_error(const std::exception_ptr& error) noexcept {
    try {
      std::rethrow_exception(error);
    } catch (const Error& error) {
      SCIPerrorMessage("bough: %s\n", error.what());
      if (!error.hint().empty()) SCIPerrorMessage("       %s\n", error.hint().c_str());
    } catch (const std::exception& exception) {
      SCIPerrorMessage("bough: %s\n", exception.what());
    } catch (...) {
      SCIPerrorMessage("bough: unknown error\n");
    }
  }

  RuleSinks sinks_;
  BranchingCounts own_counts_;
  BranchingCounts& counts_;
  Policy* policy_ = nullptr;
  std::unique_ptr<ModelPolicy> model_;  ///< the policy, if it is a model
  std::string model_path_;
  bool named_ = false;  ///< by the parameter: read again for every solve, as the file may have changed
  SCIP_Bool strict_ = FALSE;
  std::vector<double> scores_;  // (n_candidates), reused
};

// The section of SCIP's statistics, as text and in its JSON.  Two plain callbacks: SCIP 10.1 declares scip::ObjTable::scip_output and
// never defines it, so no class can derive from it.
constexpr const char* table_name = "learned_branching";  // the section's key in the JSON
constexpr int table_position = 10'500;

const BranchingCounts& counts_of(SCIP_TABLE* table) { return *reinterpret_cast<const BranchingCounts*>(SCIPtableGetData(table)); }

SCIP_DECL_TABLEOUTPUT(print_table) {
  const BranchingCounts& n = counts_of(table);
  SCIPinfoMessage(scip, file, "Learned branching  :  Decisions  Fallbacks Extraction  Inference      Total\n");
  SCIPinfoMessage(scip, file, "  %-17.17s: %10lld %10lld %10.2f %10.2f %10.2f\n", rule_name, static_cast<long long>(n.n_decisions),
                  static_cast<long long>(n.n_fallbacks), n.extraction_s, n.inference_s, n.total_s);
  for (std::size_t reason = 0; reason < n_fallback_reasons; ++reason) {
    if (n.fallbacks[reason] == 0) continue;
    SCIPinfoMessage(scip, file, "  %-17.17s: %10s %10lld\n", fallback_names[reason].data(), "-", static_cast<long long>(n.fallbacks[reason]));
  }
  return SCIP_OKAY;
}

SCIP_DECL_TABLECOLLECT(collect_table) {
  const BranchingCounts& n = counts_of(table);
  SCIP_DATATREE* fallbacks = nullptr;
  SCIP_CALL(SCIPinsertDatatreeLong(scip, datatree, "decisions", n.n_decisions));
  SCIP_CALL(SCIPcreateDatatreeInTree(scip, datatree, &fallbacks, "fallbacks", -1));
  for (std::size_t reason = 0; reason < n_fallback_reasons; ++reason) {
    SCIP_CALL(SCIPinsertDatatreeLong(scip, fallbacks, fallback_names[reason].data(), n.fallbacks[reason]));
  }
  SCIP_CALL(SCIPinsertDatatreeReal(scip, datatree, "extraction_s", n.extraction_s));
  SCIP_CALL(SCIPinsertDatatreeReal(scip, datatree, "inference_s", n.inference_s));
  SCIP_CALL(SCIPinsertDatatreeReal(scip, datatree, "total_s", n.total_s));
  return SCIP_OKAY;
}

/// The number of decisions so far, in SCIP's progress lines.
class Column final : public scip::ObjDisp {
 public:
  Column(SCIP* scip, const Rule& rule)
      : scip::ObjDisp(scip, rule_name, "branchings on the choice of a trained network", "learn", width, /*priority=*/50'000, /*position=*/550,
                      /*stripline=*/TRUE),
        rule_(rule) {}

  SCIP_DECL_DISPOUTPUT(scip_output) override {
    (void)disp;
    SCIPdispLongint(SCIPgetMessagehdlr(scip), file, rule_.counts().n_decisions, width);
    return SCIP_OKAY;
  }

 private:
  static constexpr int width = 5;
  const Rule& rule_;
};

}  // namespace

void include_rule(SCIP* scip, RuleSinks sinks, const std::filesystem::path& model) {
  if (SCIPfindBranchrule(scip, rule_name) != nullptr) throw Error(ExitCode::usage, "this SCIP has a branching rule 'bough' already");
  auto owner = std::make_unique<Rule>(scip, std::move(sinks));
  check(SCIPincludeObjBranchrule(scip, owner.get(), /*deleteobject=*/TRUE));
  Rule& rule = *owner.release();  // SCIP owns it from here on
  check(SCIPaddStringParam(scip, model_parameter, "model file of the trained network, read when the problem is transformed; empty: none", nullptr,
                           FALSE, model.c_str(), nullptr, nullptr));
  check(SCIPaddBoolParam(scip, strict_parameter, "is a node that the network cannot decide an error? otherwise SCIP's own rules decide there",
                         nullptr, FALSE, FALSE, nullptr, nullptr));
  check(SCIPaddRealParam(scip, pseudocosts_parameter, "how much pseudocosts count beside the network's scores, read when the problem is transformed; negative: as much as the model says", nullptr, FALSE,
                         -1, -1, most_pseudocosts, nullptr, nullptr));
  auto* data = reinterpret_cast<SCIP_TABLEDATA*>(&rule.counts());
  check(SCIPincludeTable(scip, table_name, "learned branching: decisions, fallbacks and times", TRUE, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                         print_table, collect_table, data, table_position, SCIP_STAGE_TRANSFORMED));
  check(SCIPincludeObjDisp(scip, new Column(scip, rule), /*deleteobject=*/TRUE));
}

void use_policy(SCIP* scip, Policy& policy) {
  Rule::of(scip).use(policy);
  check(SCIPsetStringParam(scip, model_parameter, ""));
}

void use_model(SCIP* scip, const Model& model, const std::filesystem::path& path) {
  Rule::of(scip).use(model, path.string());
  check(SCIPsetStringParam(scip, model_parameter, path.c_str()));
}

void use_rule(SCIP* scip, std::string_view name) {
  check(SCIPsetIntParam(scip, std::format("branching/{}/priority", name).c_str(), top_priority));
  refuse_rules_above(scip, name, top_priority);
}

void use_bough(SCIP* scip) { use_rule(scip, rule_name); }

void fall_back_to_relpscost(SCIP* scip) { check(SCIPsetIntParam(scip, "branching/relpscost/priority", top_priority - 1)); }

void be_strict(SCIP* scip) { check(SCIPsetBoolParam(scip, strict_parameter, TRUE)); }

void include_branching(SCIP* scip, const std::filesystem::path& model) {
  // Read first: a file that is no model leaves SCIP as it was.
  const std::optional<Model> read = model.empty() ? std::nullopt : std::optional(read_model(model));
  include_rule(scip, {}, model);
  if (read) use_model(scip, *read, model);
}

BranchingCounts counts(SCIP* scip) { return Rule::of(scip).counts(); }

}  // namespace bough
