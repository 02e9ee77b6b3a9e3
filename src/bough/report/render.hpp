// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bough {

struct Drawing {
  std::string svg;              ///< as it stands, for a page without JavaScript and for print
  nlohmann::ordered_json vega;  ///< the compiled specification, for a live view
};

/// Compiles Vega-Lite specifications and draws them, all in one run of nodejs.  The same specifications give the same bytes.
/// Throws Error (failure) if there is no nodejs or no Vega, with a hint that names the package, or if a specification is wrong.
std::vector<Drawing> draw(const std::vector<nlohmann::ordered_json>& specs);

}  // namespace bough
