// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bough/branch/solve.hpp"

namespace bough {

/// A solve as JSON: docs/cli.md, "The result", has the fields.  What is infinite is null.
nlohmann::ordered_json solve_json(const SolveRequest& request, const SolveResult& result);
nlohmann::ordered_json trace_json(const TracePoint& point);
nlohmann::ordered_json explanation_json(const Explanation& explanation);

/// JSON has no infinity: null stands for "no bound".
nlohmann::ordered_json finite_or_null(double value);

}  // namespace bough
