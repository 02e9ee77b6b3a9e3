// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bough/collect/sampler.hpp"
#include "bough/instance/source.hpp"

namespace bough {

/// How the models of a benchmark family are made, from nothing but seeds: it states what is otherwise planned from a budget.
struct Recipe {
  std::string name;
  std::string text;                        ///< of the file, to tell one recipe from another
  std::string settings = "paper";
  std::vector<std::string> networks;
  std::vector<std::uint64_t> seeds{0};     ///< of training; every network is trained with each
  std::vector<double> pseudocosts{0};      ///< weights with which every trained network may decide; solving chooses one
  Sampling sampling;
  SeedRange train, valid, choose, judge;   ///< the instances of each step; no two share any
  std::int64_t n_train = 0, n_valid = 0;   ///< labelled states
  /// States to learn from as SCIP meets them under other settings.
  struct Also {
    std::string settings;
    SeedRange instances;
    std::int64_t n_labels = 0;
  };
  std::vector<Also> also;
  double time_limit_s = 600;               ///< of a solve, when choosing and judging
  std::string trainer;                     ///< settings of bough-train, as TOML
};

/// Reads a recipe (docs/learning.md has the file's keys).  Throws Error: missing_input; bad_input with file and line.
Recipe read_recipe(const std::filesystem::path& path);

}  // namespace bough
