// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/scip/scip.hpp"

namespace bough {

/// A solution in the variables of the problem as it was read.
struct Solution {
  double objective = 0;
  std::vector<std::pair<std::string, double>> values;  // (n_original_variables)  name, value; in the problem's order
};

/// Whether there is an objective limit that no solution found so far keeps.  SCIP then gives the limit as its primal bound, and may still have worse solutions.
bool misses_objective_limit(SCIP* scip);

/// The incumbent; empty if there is none, or none that keeps the objective limit.
std::optional<Solution> best_solution(SCIP* scip);

inline constexpr double default_feasibility_tolerance = 1e-6;  ///< SCIP's

/// Whether a solution holds in the file it is meant for.
struct SolutionCheck {
  bool feasible = false;      ///< bounds, integrality and all constraints, at the tolerance that was asked for
  double objective = 0;       ///< computed from the file
  std::string complaint;      ///< the first violation, or why the file cannot be read, in words; empty if there is none
  bool readable = true;       ///< whether the file could be read once more; if not, nothing is known

  /// Of a solution that is not feasible: what to say about it.
  [[nodiscard]] std::string verdict() const { return (readable ? "the solution does not hold in the file: " : "the solution could not be checked: ") + complaint; }
};

/// Reads `path` once more, into a SCIP that has never presolved anything, and checks `solution` there by name, at the feasibility tolerance of the solve that
/// found it (SCIPfeastol()).
SolutionCheck check_solution(const std::filesystem::path& path, const Solution& solution, double tolerance = default_feasibility_tolerance);

/// SCIP's .sol format: objective value, then the nonzero values by name.
std::string solution_text(const Solution& solution, std::string_view status);

}  // namespace bough
