// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bough/dataset/loader.hpp"
#include "bough/rng.hpp"

namespace bough::test {

struct EpisodeShape {
  int n_variables = 12;
  int n_rows = 8;
  double density = 0.3;
  std::vector<int> windows{4, 2};    // lengths
  std::vector<int> topologies{0};    // of the states, in turn
  double unlabelled = 0;             // probability that a state has no label
};

/// An episode with random graphs, features, candidates and labels.
Episode random_episode(Rng& rng, const EpisodeShape& shape);

/// The windows of an episode.
std::vector<Window> windows_of(Episode episode);

/// Gives every labelled state scores by `score(window's states, state's index, candidate's variable)`; ties are equal scores.
void relabel(Episode& episode, const std::function<double(std::span<const State>, std::size_t, std::int32_t)>& score);

/// Writes a set as 'bough collect' would, in passes over `n_instances`, or with one instance for each episode.  They are called NAME-0, NAME-1, ...
void write_set(const std::filesystem::path& directory, const std::vector<Episode>& episodes, const std::string& name, std::size_t n_instances = 0);

}  // namespace bough::test
