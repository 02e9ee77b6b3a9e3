// SPDX-License-Identifier: Apache-2.0
#include "bough/train/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>

namespace bough {
namespace {

// About one window of a large instance: its activations then stay in the cache, and small instances still fill the matrices.
constexpr std::size_t edges_in_group = 100'000;

/// The place of the best-labelled candidate that comes first when sorted by logit; equal logits keep the candidates' order.
std::size_t rank_of_best(std::span<const float> logits, const Label& label) {
  std::optional<std::size_t> first;
  for (std::size_t k = 0; k < logits.size(); ++k) {
    if (label.best[k] != 0 && (!first || logits[k] > logits[*first])) first = k;
  }
  std::size_t rank = 0;
  for (std::size_t k = 0; k < logits.size(); ++k) rank += logits[k] > logits[*first] || (logits[k] == logits[*first] && k < *first);
  return rank;
}

template <class Keep>
Tally tally_if(const Batch& batch, const Scores<float>& scores, Keep&& keep) {
  Tally result;
  for (std::size_t s = 0; s < batch.states.size(); ++s) {
    if (!batch.states[s]->label || !keep(s)) continue;
    const auto begin = static_cast<std::size_t>(batch.state_start[s]), n = static_cast<std::size_t>(batch.state_start[s + 1]) - begin;
    ++result.n;
    for (std::size_t k = begin; k < begin + n; ++k) {
      if (batch.target[k] > 0) result.loss -= batch.target[k] * static_cast<double>(scores.log_probability[k]);
    }
    const std::size_t rank = rank_of_best(std::span(scores.logits).subspan(begin, n), *batch.states[s]->label);
    for (std::size_t i = 0; i < top_k.size(); ++i) result.hits[i] += rank < top_k[i];
  }
  return result;
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  n += other.n;
  loss += other.loss;
  for (std::size_t i = 0; i < hits.size(); ++i) hits[i] += other.hits[i];
  return *this;
}

Tally tally(const Batch& batch, const Scores<float>& scores) {
  return tally_if(batch, scores, [](std::size_t) { return true; });
}
Tally tally(const Batch& batch, const Scores<float>& scores, std::size_t window) {
  return tally_if(batch, scores, [&](std::size_t s) { return batch.window[s] == window; });
}

Crew::Crew(int n_threads) : workers_(n_threads > 0 ? static_cast<std::size_t>(n_threads) : std::max(1U, std::thread::hardware_concurrency())) {
  for (std::size_t w = 0; w < workers_.size(); ++w) packers_.emplace_back(terms_);
  scores_.resize(workers_.size());
}

std::size_t Crew::n_groups(std::span<const Window> windows) { return group_windows(windows, edges_in_group).size(); }

void Crew::for_each_group(std::span<const Window> windows, const PackOptions& options, const UseGroup& use) {
  const auto groups = group_windows(windows, edges_in_group);
  workers_.run(groups.size(), [&](std::size_t worker, std::size_t group) { use(group, groups[group], packers_[worker].pack(groups[group], options), scores_[worker]); });
}

std::vector<Tally> evaluate(const Learner<float>& network, Loader& loader, Crew& crew, const PackOptions& options, const OnState& on_state, const std::function<bool()>& stop) {
  struct Logits {
    const State* state;
    std::vector<float> values;
  };
  std::vector<Tally> instances;
  std::map<std::string, std::size_t, std::less<>> place_of;  // of an instance
  std::shared_ptr<const Episode> episode;
  std::size_t n_episodes = 0, place = 0;
  loader.start(0);
  for (auto windows = loader.next(); !windows.empty() && !(stop && stop()); windows = loader.next()) {
    std::vector<Tally> tallies(windows.size());
    std::vector<std::vector<Logits>> logits(windows.size());
    crew.for_each_group(windows, options, [&](std::size_t, std::span<const Window> members, const Batch& batch, Scores<float>& scores) {
      network.score(batch, scores);
      const auto first = static_cast<std::size_t>(members.data() - windows.data());
      for (std::size_t w = 0; w < members.size(); ++w) tallies[first + w] = tally(batch, scores, w);
      if (!on_state) return;
      for (std::size_t s = 0; s < batch.states.size(); ++s) {
        const float* begin = scores.logits.data() + batch.state_start[s];
        logits[first + batch.window[s]].push_back({batch.states[s], {begin, begin + (batch.state_start[s + 1] - batch.state_start[s])}});
      }
    });
    for (std::size_t w = 0; w < windows.size(); ++w) {
      if (windows[w].episode != episode) {
        episode = windows[w].episode;
        const auto name = episode->metadata.find("instance");
        place = name == episode->metadata.end() ? instances.size() : place_of.try_emplace(name->second, instances.size()).first->second;
        if (place == instances.size()) instances.emplace_back();
        ++n_episodes;
      }
      instances[place] += tallies[w];
      for (const Logits& one : logits[w]) on_state(n_episodes - 1, *one.state, one.values);
    }
  }
  return instances;
}

Tally sum(std::span<const Tally> tallies) {
  Tally total;
  for (const Tally& tally : tallies) total += tally;
  return total;
}

StandardErrors standard_errors(std::span<const Tally> instances) {
  const Tally total = sum(instances);
  const auto n_instances = static_cast<double>(std::ranges::count_if(instances, [](const Tally& t) { return t.n > 0; }));
  // Of a ratio of sums: residuals of the instances against the ratio.
  const auto error = [&](double ratio, auto&& value) {
    if (n_instances < 2) return std::numeric_limits<double>::quiet_NaN();
    double squares = 0;
    for (const Tally& tally : instances) {
      const double residual = value(tally) - ratio * static_cast<double>(tally.n);
      squares += residual * residual;
    }
    return std::sqrt(squares * n_instances / (n_instances - 1)) / static_cast<double>(total.n);
  };
  StandardErrors result;
  result.loss = error(total.mean_loss(), [](const Tally& t) { return t.loss; });
  for (std::size_t k = 0; k < top_k.size(); ++k) result.accuracy[k] = error(total.accuracy(k), [&](const Tally& t) { return static_cast<double>(t.hits[k]); });
  return result;
}

}  // namespace bough
