// SPDX-License-Identifier: Apache-2.0
//
// Nodes at which a model has nothing to score, because a constraint branches on something else than fractional variables: they are left
// to SCIP's own rules, counted by reason, and the answer is right.
#include <gtest/gtest.h>

#include <objscip/objconshdlr.h>
#include <scip/cons_nonlinear.h>

#include <format>
#include <vector>

#include "bough/bough.hpp"
#include "bough/file.hpp"
#include "bough/model/model.hpp"
#include "bough/scip/mpi_at_load.hpp"
#include "bough/scip/scip.hpp"
#include "tests/models.hpp"

namespace bough::test {
namespace {

std::int64_t fallbacks(const BranchingCounts& counts, Fallback reason) { return counts.fallbacks[static_cast<std::size_t>(reason)]; }

void include_some_model(SCIP* scip) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "model.safetensors", model_bytes(random_model({.network = Network::tgat, .d = 16, .heads = 1, .memory = 2}, 1)));
  include_branching(scip, directory.path() / "model.safetensors");
}

SCIP_VAR* add_variable(SCIP* scip, const char* name, double upper, double objective, SCIP_VARTYPE type) {
  SCIP_VAR* variable = nullptr;
  check(SCIPcreateVarBasic(scip, &variable, name, 0, upper, objective, type));
  check(SCIPaddVar(scip, variable));
  SCIP_VAR* const borrowed = variable;  // the problem keeps it
  check(SCIPreleaseVar(scip, &variable));
  return borrowed;
}

/// Says of points with more than three ones that they are no solutions, and nothing else: SCIP has to branch where nothing is fractional.
class AtMostThree final : public scip::ObjConshdlr {
 public:
  AtMostThree(SCIP* scip, std::vector<SCIP_VAR*> variables)
      : scip::ObjConshdlr(scip, "atmostthree", "at most three variables are 1", 0, -1, -1, -1, -1, 1, 0, FALSE, FALSE, FALSE, SCIP_PROPTIMING_BEFORELP, SCIP_PRESOLTIMING_FAST),
        variables_(std::move(variables)) {}
  SCIP_DECL_CONSTRANS(scip_trans) override {
    (void)scip, (void)conshdlr, (void)sourcecons, (void)targetcons;
    return SCIP_OKAY;
  }
  SCIP_DECL_CONSENFOLP(scip_enfolp) override {
    (void)conshdlr, (void)conss, (void)nconss, (void)nusefulconss, (void)solinfeasible;
    *result = too_many(scip, nullptr) ? SCIP_INFEASIBLE : SCIP_FEASIBLE;
    return SCIP_OKAY;
  }
  SCIP_DECL_CONSENFOPS(scip_enfops) override {
    (void)conshdlr, (void)conss, (void)nconss, (void)nusefulconss, (void)solinfeasible, (void)objinfeasible;
    *result = too_many(scip, nullptr) ? SCIP_INFEASIBLE : SCIP_FEASIBLE;
    return SCIP_OKAY;
  }
  SCIP_DECL_CONSCHECK(scip_check) override {
    (void)conshdlr, (void)conss, (void)nconss, (void)checkintegrality, (void)checklprows, (void)printreason, (void)completely;
    *result = too_many(scip, sol) ? SCIP_INFEASIBLE : SCIP_FEASIBLE;
    return SCIP_OKAY;
  }
  SCIP_DECL_CONSLOCK(scip_lock) override {
    (void)conshdlr, (void)cons;
    for (SCIP_VAR* v : variables_) SCIP_CALL(SCIPaddVarLocksType(scip, SCIPvarGetTransVar(v) != nullptr ? SCIPvarGetTransVar(v) : v, locktype, nlocksneg, nlockspos));
    return SCIP_OKAY;
  }

 private:
  bool too_many(SCIP* scip, SCIP_SOL* sol) const {
    double sum = 0;
    for (SCIP_VAR* v : variables_) sum += SCIPgetSolVal(scip, sol, v);
    return sum > 3.5;
  }
  std::vector<SCIP_VAR*> variables_;
};

TEST(Fallbacks, AConstraintThatBranchesWhereNothingIsFractional) {
  const ScipPtr owner = create_scip();
  SCIP* scip = owner.get();
  check(SCIPcreateProbBasic(scip, "at most three"));
  std::vector<SCIP_VAR*> variables;
  for (int i = 1; i <= 8; ++i) variables.push_back(add_variable(scip, std::format("x{}", i).c_str(), 1, -i, SCIP_VARTYPE_BINARY));
  check(SCIPincludeObjConshdlr(scip, new AtMostThree(scip, variables), TRUE));
  include_some_model(scip);
  check(SCIPsetPresolving(scip, SCIP_PARAMSETTING_OFF, TRUE));
  check(SCIPsetHeuristics(scip, SCIP_PARAMSETTING_OFF, TRUE));
  check(SCIPsolve(scip));
  EXPECT_EQ(SCIPgetStatus(scip), SCIP_STATUS_OPTIMAL);
  EXPECT_DOUBLE_EQ(SCIPgetPrimalbound(scip), -(8 + 7 + 6));
  const BranchingCounts counts = bough::counts(scip);
  EXPECT_GT(fallbacks(counts, Fallback::no_candidates), 0);
  EXPECT_EQ(fallbacks(counts, Fallback::no_candidates), counts.n_fallbacks);
}

/// t <= x' Q x over the unit box, Q indefinite, t as large as possible.
ScipPtr box_problem() {
  constexpr int n = 10;
  ScipPtr owner = create_scip();
  SCIP* scip = owner.get();
  check(SCIPcreateProbBasic(scip, "box"));
  SCIP_VAR* t = add_variable(scip, "t", 1000, -1, SCIP_VARTYPE_CONTINUOUS);
  std::vector<SCIP_VAR*> x, first, second;
  std::vector<double> q;
  for (int i = 0; i < n; ++i) x.push_back(add_variable(scip, std::format("x{}", i).c_str(), 1, 0, SCIP_VARTYPE_CONTINUOUS));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      first.push_back(x[i]);
      second.push_back(x[j]);
      q.push_back(static_cast<double>((17 * i + 31 * j + i * j) % 23) - 12);
    }
  }
  double minus = -1;
  SCIP_CONS* cons = nullptr;
  check(SCIPcreateConsBasicQuadraticNonlinear(scip, &cons, "quadratic", 1, &t, &minus, static_cast<int>(q.size()), first.data(), second.data(), q.data(), 0, SCIPinfinity(scip)));
  check(SCIPaddCons(scip, cons));
  check(SCIPreleaseCons(scip, &cons));
  return owner;
}

TEST(Fallbacks, ANonlinearConstraintThatBranchesOnContinuousVariables) {
  start_mpi();  // as reading a nonlinear problem from a file does
  const ScipPtr without = box_problem();
  check(SCIPsolve(without.get()));
  const ScipPtr owner = box_problem();
  SCIP* scip = owner.get();
  include_some_model(scip);
  check(SCIPsetBoolParam(scip, "constraints/nonlinear/branching/external", TRUE));
  check(SCIPsolve(scip));
  EXPECT_EQ(SCIPgetStatus(scip), SCIP_STATUS_OPTIMAL);
  EXPECT_NEAR(SCIPgetPrimalbound(scip), SCIPgetPrimalbound(without.get()), 1e-4);
  const BranchingCounts counts = bough::counts(scip);
  EXPECT_GT(fallbacks(counts, Fallback::external_candidates), 0);
  EXPECT_EQ(fallbacks(counts, Fallback::external_candidates), counts.n_fallbacks);
}

}  // namespace
}  // namespace bough::test
