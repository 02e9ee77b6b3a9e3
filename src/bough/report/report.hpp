// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "bough/evaluate/record.hpp"

namespace bough {

/// Writes what the records say into a directory: index.html, and every table as .md, .csv and .tex.  A function of the records alone: equal
/// records give equal bytes.  Returns the files, the page first.  Throws Error: cannot_write; failure if the figures cannot be drawn.
std::vector<std::filesystem::path> write_report(std::span<const Evaluation> evaluations, const std::filesystem::path& output);

}  // namespace bough
