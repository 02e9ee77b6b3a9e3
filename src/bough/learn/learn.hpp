// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bough/learn/plan.hpp"
#include "bough/learn/recipe.hpp"

namespace bough {

struct LearnRequest {
  std::filesystem::path instances;  ///< a folder of .mps, .lp and .cip files; or:
  std::optional<Recipe> recipe{};   ///< which decides everything but output and workers; `seed` stays 0
  std::filesystem::path output;
  double budget_s = 7200;
  std::vector<std::string> networks{"tgat"};  ///< one candidate each
  std::string settings = "default";
  int n_workers = 1;
  std::uint64_t seed = 0;

  /// Runs bough-train with these arguments to its end and returns its exit code; the library has no libtorch.
  std::function<int(const std::vector<std::string>&)> train;
  std::function<void(std::string_view)> say;  ///< one sentence on what begins now, or on what was found
  std::function<void(std::string_view what, std::size_t done, std::size_t total, std::string_view detail)> on_progress{};
};

struct Learned {
  Judgement judgement;
  std::filesystem::path model;
  std::filesystem::path page;
};

/// From a folder of instances to a model and a verdict:
///
///   deal the instances out, probe a few, plan, ask the expert, train, choose by solving validation instances, judge on held-out ones
///
/// A recipe has no need of the first three.
/// Every step leaves its result in `request.output` and is not repeated; killed at any moment, the same request goes on.  Empty after a stop signal.
/// Throws Error: bad_input with the reason if these instances cannot be learned from, usage if the directory belongs to another request.
std::optional<Learned> learn(const LearnRequest& request);

}  // namespace bough
