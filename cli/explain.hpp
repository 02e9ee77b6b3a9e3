// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bough/branch/explain.hpp"

namespace bough::cli {

/// One decision as a table, the best candidates first.
std::string explanation_text(const Explanation& explanation);

}  // namespace bough::cli
