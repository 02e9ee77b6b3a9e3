// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "bough/milp.hpp"
#include "bough/scip/scip.hpp"

namespace bough::test {

/// The original problem of `scip` as plain data.  Throws Error (bad_input) if it has a constraint that is not linear.
Milp to_milp(SCIP* scip);

/// The optimum of the LP relaxation as written: presolving, cuts and propagation off, nothing but the simplex method.
/// Empty if the relaxation is infeasible or unbounded.
std::optional<double> lp_optimum(const Milp& milp);

}  // namespace bough::test
