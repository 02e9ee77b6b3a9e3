// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "bough/evaluate/record.hpp"

namespace bough::test {

/// An evaluation as `bough evaluate` might give it: two groups of ten instances, two seeds, five policies, with bounds over time, two
/// explained runs and calibrations.  The same on every machine.  Nothing in it was measured.
Evaluation example_evaluation();

/// Two groups of two tiny instances, two seeds, three policies, one of them explained.
inline constexpr std::string_view small_suite = R"(
settings = "paper"
time_limit = 60
seeds = [0, 1]
policies = ["relpscost", "pscost", "random"]
explain = { policy = "random", decisions = 2 }

[[group]]
family = "setcover"
size = "tiny"
instances = "20000..20001"

[[group]]
family = "auction"
size = "tiny"
instances = "20000..20001"
policies = ["pscost", "random"]
)";

/// Writes a suite into the directory and returns its path.
std::filesystem::path suite_file(const std::filesystem::path& directory, std::string_view text = small_suite);

}  // namespace bough::test
