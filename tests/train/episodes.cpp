// SPDX-License-Identifier: Apache-2.0
#include "tests/train/episodes.hpp"

#include <algorithm>
#include <format>

#include "bough/file.hpp"

namespace bough::test {
namespace {

Topology random_topology(Rng& rng, const EpisodeShape& shape) {
  Topology topology;
  for (int row = 0; row < shape.n_rows; ++row) {
    for (int variable = 0; variable < shape.n_variables; ++variable) {
      if (!rng.bernoulli(shape.density)) continue;
      topology.edge_variable.push_back(variable);
      topology.edge_coefficient.push_back(static_cast<float>(rng.integer(-2, 3)) / 4);  // a few distinct ones
    }
    topology.row_start.push_back(static_cast<std::int32_t>(topology.edge_variable.size()));
  }
  topology.index_by_variable(static_cast<std::size_t>(shape.n_variables));
  return topology;
}

std::vector<float> random_features(Rng& rng, std::size_t n) {
  std::vector<float> features(n);
  for (float& x : features) x = static_cast<float>(rng.uniform(-1, 2));
  return features;
}

Label label_from(std::vector<double> scores) {
  Label label;
  const double best = std::ranges::max(scores);
  label.down_gain = label.up_gain = scores;
  label.infeasible.assign(scores.size(), 0);
  for (const double score : scores) label.best.push_back(score == best);
  label.choice = static_cast<std::int32_t>(std::ranges::find(scores, best) - scores.begin());
  label.score = std::move(scores);
  return label;
}

}  // namespace

Episode random_episode(Rng& rng, const EpisodeShape& shape) {
  Episode episode;
  for (int t = 0; t <= std::ranges::max(shape.topologies); ++t) episode.topologies.push_back(random_topology(rng, shape));
  const auto n_variables = static_cast<std::size_t>(shape.n_variables);
  for (const int length : shape.windows) {
    for (int i = 0; i < length; ++i) {
      State state;
      state.topology = shape.topologies[episode.states.size() % shape.topologies.size()];
      state.variable_features = random_features(rng, n_variables * n_variable_features);
      // Static features belong to the topology; a shard stores them once.
      for (std::size_t j = 0; j < n_variables; ++j) std::fill_n(state.variable_features.begin() + static_cast<std::ptrdiff_t>(j * n_variable_features), n_static_variable_features, static_cast<float>(j % 3));
      state.row_features = random_features(rng, static_cast<std::size_t>(shape.n_rows) * n_row_features);
      for (std::size_t r = 0; r < static_cast<std::size_t>(shape.n_rows); ++r) std::fill_n(state.row_features.begin() + static_cast<std::ptrdiff_t>(r * n_row_features), n_static_row_features, static_cast<float>(r % 2));
      std::vector<int> order = rng.permutation(shape.n_variables);
      order.resize(static_cast<std::size_t>(rng.integer(2, shape.n_variables - 1)));
      state.candidates.assign(order.begin(), order.end());
      if (!rng.bernoulli(shape.unlabelled)) {
        std::vector<double> scores(order.size());
        for (double& score : scores) score = rng.integer(0, 4);
        state.label = label_from(std::move(scores));
      }
      state.chosen = 0;
      state.decision = static_cast<std::int64_t>(episode.states.size());
      state.depth = rng.integer(0, 10);
      episode.states.push_back(std::move(state));
    }
    episode.window_start.push_back(static_cast<std::int32_t>(episode.states.size()));
  }
  return episode;
}

std::vector<Window> windows_of(Episode episode) {
  const auto shared = std::make_shared<const Episode>(std::move(episode));
  std::vector<Window> windows;
  for (std::size_t w = 0; w < shared->n_windows(); ++w) windows.push_back({shared, w});
  return windows;
}

void relabel(Episode& episode, const std::function<double(std::span<const State>, std::size_t, std::int32_t)>& score) {
  for (std::size_t w = 0; w < episode.n_windows(); ++w) {
    const auto begin = static_cast<std::size_t>(episode.window_start[w]), end = static_cast<std::size_t>(episode.window_start[w + 1]);
    const auto states = std::span(episode.states).subspan(begin, end - begin);
    for (std::size_t s = 0; s < states.size(); ++s) {
      if (!states[s].label) continue;
      std::vector<double> scores;
      for (const std::int32_t variable : states[s].candidates) scores.push_back(score(states, s, variable));
      states[s].label = label_from(std::move(scores));
    }
  }
}

void write_set(const std::filesystem::path& directory, const std::vector<Episode>& episodes, const std::string& name, std::size_t n_instances) {
  std::filesystem::create_directories(directory / "shards");
  write_file(directory / "set.json", std::format(R"({{"request": {{"schema": "{}", "features": "{}"}}}})", set_schema, feature_schema));
  if (n_instances == 0) n_instances = episodes.size();
  std::vector<ManifestEntry> entries;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    Episode episode = episodes[e];
    ManifestEntry entry{.instance = std::format("{}-{}", name, e % n_instances), .end = "optimal", .pass = static_cast<std::int64_t>(e / n_instances)};
    episode.metadata["instance"] = entry.instance;
    const std::string bytes = episode_bytes(episode);
    entry.shard = std::format("{}-{}.safetensors.zst", name, e);
    write_file(directory / "shards" / entry.shard, bytes);
    entry.sha256 = sha256_of_file(directory / "shards" / entry.shard);
    entry.bytes = std::filesystem::file_size(directory / "shards" / entry.shard);
    entry.raw_bytes = bytes.size();
    entry.n_states = static_cast<std::int64_t>(episode.states.size());
    entry.n_labels = static_cast<std::int64_t>(episode.n_labels());
    entry.n_windows = static_cast<std::int64_t>(episode.n_windows());
    entries.push_back(std::move(entry));
  }
  Manifest(directory).rewrite(std::move(entries));
}

}  // namespace bough::test
