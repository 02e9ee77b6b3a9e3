// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "bough/milp.hpp"
#include "bough/scip/scip.hpp"

namespace bough {

/// Reads an instance (.mps, .lp, .cip and what else SCIP reads, optionally .gz) into `scip`.
/// Throws Error: missing_input if it cannot be read, bad_input with file and line if it is not a problem SCIP understands.
void read_problem(SCIP* scip, const std::filesystem::path& path);

/// Makes `milp` the problem of `scip`.
void load_problem(SCIP* scip, const Milp& milp);

}  // namespace bough
