// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "bough/evaluate/record.hpp"

namespace bough {

/// One HTML file with everything in it: nothing is loaded from anywhere, and its Content-Security-Policy forbids to.  What was run, what
/// contradicts itself, the headlines, the tables, the figures with their data.  It is complete without JavaScript and in print; with it
/// drawings and tables respond.
///
/// Equal evaluations give equal bytes: no date, no path.  Every name in a record is treated as hostile text.
/// Runs nodejs to draw.  Throws Error (failure) if that cannot be done, with a hint that names the packages.
std::string page_html(std::span<const Evaluation> evaluations);

}  // namespace bough
