// SPDX-License-Identifier: Apache-2.0
#include "bough/scip/solution.hpp"

#include <cmath>
#include <format>
#include <memory>
#include <span>

#include "bough/scip/problem.hpp"

namespace bough {

bool misses_objective_limit(SCIP* scip) { return !SCIPisInfinity(scip, std::abs(SCIPgetObjlimit(scip))) && SCIPgetNLimSolsFound(scip) == 0; }

std::optional<Solution> best_solution(SCIP* scip) {
  SCIP_SOL* best = SCIPgetBestSol(scip);
  if (best == nullptr || misses_objective_limit(scip)) return std::nullopt;
  Solution solution;
  solution.objective = SCIPgetSolOrigObj(scip, best);
  for (SCIP_VAR* var : std::span(SCIPgetOrigVars(scip), static_cast<std::size_t>(SCIPgetNOrigVars(scip)))) {
    solution.values.emplace_back(SCIPvarGetName(var), SCIPgetSolVal(scip, best, var));
  }
  return solution;
}

SolutionCheck check_solution(const std::filesystem::path& path, const Solution& solution, double tolerance) {
  SolutionCheck result;
  std::string said;
  const ScipPtr owner = create_scip([&](std::string_view text) { said += text; });
  SCIP* scip = owner.get();
  check(SCIPsetRealParam(scip, "numerics/feastol", tolerance));
  read_problem(scip, path);
  said.clear();

  SCIP_SOL* sol = nullptr;
  check(SCIPcreateOrigSol(scip, &sol, nullptr));
  const auto free_sol = [scip](SCIP_SOL* s) { (void)SCIPfreeSol(scip, &s); };
  const std::unique_ptr<SCIP_SOL, decltype(free_sol)> sol_owner(sol, free_sol);
  for (const auto& [name, value] : solution.values) {
    SCIP_VAR* var = SCIPfindVar(scip, name.c_str());
    if (var == nullptr) {
      result.complaint = std::format("the file has no variable '{}'", name);
      return result;
    }
    check(SCIPsetSolVal(scip, sol, var, value));
  }
  SCIP_Bool feasible = FALSE;
  check(SCIPcheckSolOrig(scip, sol, &feasible, /*printreason=*/TRUE, /*completely=*/FALSE));
  result.feasible = feasible;
  result.objective = SCIPgetSolOrigObj(scip, sol);
  if (!feasible) {
    result.complaint = said.empty() ? "a constraint is violated" : said.substr(0, said.find_last_not_of(" \n") + 1);
  } else if (!SCIPisFeasEQ(scip, result.objective, solution.objective)) {
    result.complaint = std::format("its objective in the file is {}, the solve reported {}", result.objective, solution.objective);
    result.feasible = false;
  }
  return result;
}

std::string solution_text(const Solution& solution, std::string_view status) {
  std::string text = std::format("solution status: {}\nobjective value: {}\n", status, solution.objective);
  for (const auto& [name, value] : solution.values) {
    if (value != 0) text += std::format("{} {}\n", name, value);
  }
  return text;
}

}  // namespace bough
