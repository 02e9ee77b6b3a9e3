// SPDX-License-Identifier: Apache-2.0
#include "tests/milps.hpp"

#include <scip/pub_misc_linear.h>

#include <format>
#include <span>
#include <unordered_map>
#include <vector>

#include "bough/error.hpp"
#include "bough/scip/problem.hpp"

namespace bough::test {
namespace {

double from_scip(SCIP* scip, double value) {
  return SCIPisInfinity(scip, value) ? Milp::infinity : SCIPisInfinity(scip, -value) ? -Milp::infinity : value;
}

}  // namespace

Milp to_milp(SCIP* scip) {
  Milp milp;
  milp.name = SCIPgetProbName(scip);
  milp.maximize = SCIPgetObjsense(scip) == SCIP_OBJSENSE_MAXIMIZE;
  milp.objective_offset = SCIPgetOrigObjoffset(scip);

  std::unordered_map<SCIP_VAR*, int> column_of;
  const std::span vars(SCIPgetOrigVars(scip), static_cast<std::size_t>(SCIPgetNOrigVars(scip)));
  milp.variables.reserve(vars.size());
  for (SCIP_VAR* var : vars) {
    const auto type = SCIPvarGetType(var) == SCIP_VARTYPE_BINARY    ? Milp::VarType::binary
                      : SCIPvarGetType(var) == SCIP_VARTYPE_INTEGER ? Milp::VarType::integer
                                                                    : Milp::VarType::continuous;
    column_of[var] = milp.add_variable({SCIPvarGetName(var), SCIPvarGetObj(var), from_scip(scip, SCIPvarGetLbOriginal(var)),
                                        from_scip(scip, SCIPvarGetUbOriginal(var)), type});
  }

  const std::span conss(SCIPgetOrigConss(scip), static_cast<std::size_t>(SCIPgetNOrigConss(scip)));
  std::vector<SCIP_VAR*> row_vars;
  std::vector<double> row_values;
  for (SCIP_CONS* cons : conss) {
    SCIP_Bool success = FALSE;
    int n = 0;
    check(SCIPgetConsNVars(scip, cons, &n, &success));
    row_vars.resize(static_cast<std::size_t>(n));
    row_values.resize(static_cast<std::size_t>(n));
    if (success) check(SCIPgetConsVars(scip, cons, row_vars.data(), n, &success));
    if (success) check(SCIPgetConsVals(scip, cons, row_values.data(), n, &success));
    if (!success) {
      throw Error(ExitCode::bad_input, std::format("{}: constraint '{}' ({}) is not linear", milp.name, SCIPconsGetName(cons),
                                                   SCIPconshdlrGetName(SCIPconsGetHdlr(cons))));
    }
    milp.add_row(SCIPconsGetName(cons), from_scip(scip, SCIPconsGetLhs(scip, cons, &success)),
                 from_scip(scip, SCIPconsGetRhs(scip, cons, &success)));
    for (std::size_t k = 0; k < row_vars.size(); ++k) milp.add_entry(column_of.at(row_vars[k]), row_values[k]);
  }
  return milp;
}

std::optional<double> lp_optimum(const Milp& milp) {
  Milp relaxation = milp;
  for (auto& variable : relaxation.variables) variable.type = Milp::VarType::continuous;
  const ScipPtr scip = create_scip();
  check(SCIPsetPresolving(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  check(SCIPsetSeparating(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  check(SCIPsetHeuristics(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  check(SCIPsetIntParam(scip.get(), "propagating/maxrounds", 0));
  check(SCIPsetIntParam(scip.get(), "propagating/maxroundsroot", 0));
  load_problem(scip.get(), relaxation);
  check(SCIPsolve(scip.get()));
  if (SCIPgetStatus(scip.get()) != SCIP_STATUS_OPTIMAL) return std::nullopt;
  return SCIPgetPrimalbound(scip.get());
}

}  // namespace bough::test
