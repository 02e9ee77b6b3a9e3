// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bough/branch/explain.hpp"

namespace bough::cli {

/// One decision as a table, the best candidates first.
std::string explanation_text(const Explanation& explanation);

/// One decision as JSON (docs/cli.md has the fields), candidates in SCIP's order.
nlohmann::ordered_json explanation_json(const Explanation& explanation);

}  // namespace bough::cli
