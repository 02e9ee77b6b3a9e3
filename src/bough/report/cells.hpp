// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bough/evaluate/metrics.hpp"
#include "bough/report/table.hpp"

namespace bough {

/// How figures are written in tables.  About three digits that say something, as in the paper; "n/a" for what is not finite.
int decimals_of_seconds(double value);
int decimals_of_count(double value);

Cell count_cell(std::int64_t count);                                       ///< "1,234"
Cell number_cell(double value, int decimals);                              ///< "1,234.5"
Cell estimate_cell(const Estimate& estimate, int (*decimals_of)(double));  ///< "4.05 ± 0.12"
Cell ratio_cell(const std::optional<Ratio>& ratio);                        ///< "1.58 [1.48, 1.69]"
std::string ratio_text(const Ratio& ratio);                                ///< the same without a cell
Cell p_cell(const std::optional<Ratio>& ratio);                            ///< "< 0.001"

/// Sets the best of a column in bold, and its equals, unless all are equal.
void mark_best(Section& section, std::size_t column, bool lowest);

}  // namespace bough
