// SPDX-License-Identifier: Apache-2.0
#include "bough/train/batch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/rng.hpp"

namespace bough {
namespace {

/// The episode's metadata name the instance; with the state's place it seeds what is random about a state.
Rng rng_of(const Window& window, const State& state) {
  const auto instance = window.episode->metadata.find("instance");
  return {"history of " + (instance == window.episode->metadata.end() ? std::string() : instance->second), static_cast<std::uint64_t>(state.decision)};
}

double depth_weight(const Window& window, const State& state) {
  std::int32_t deepest = 1;
  for (const State& other : window.episode->states) deepest = std::max(deepest, other.depth);
  return (1 + std::exp(-0.5)) / (1 + std::exp(static_cast<double>(state.depth) / deepest - 0.5));
}

template <class T>
void copy_rows(const std::vector<T>& from, std::span<const std::int32_t> rows, std::size_t width, T* to) {
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(from.data() + static_cast<std::size_t>(rows[i]) * width, width, to + i * width);
}

}  // namespace

std::shared_ptr<const TermsCache::Terms> TermsCache::of(const std::shared_ptr<const Episode>& episode, std::int32_t topology) {
  const std::pair key(episode.get(), topology);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found != entries_.end() && !found->second.owner.expired()) return found->second.terms;
  }
  EdgeTerms indexed;  // outside the lock: others may look up theirs meanwhile
  indexed.index(episode->topologies[static_cast<std::size_t>(topology)]);
  indexed.coefficient.shrink_to_fit();
  auto terms = std::make_shared<const Terms>(std::move(indexed.coefficient), std::move(indexed.by_row), std::move(indexed.by_variable));
  const std::scoped_lock lock(mutex_);
  if (entries_.size() >= purge_at_) {
    std::erase_if(entries_, [](const auto& entry) { return entry.second.owner.expired(); });
    purge_at_ = std::max(purge_at_, 2 * entries_.size());
  }
  entries_.insert_or_assign(key, Entry{episode, terms});
  return terms;
}

const Batch& Packer::pack(std::span<const Window> windows, const PackOptions& options) {
  options_ = options;
  windows_ = windows;
  slots_.clear();
  n_runs_ = 0;
  batch_.coefficients.clear();
  batch_.candidates.clear();
  batch_.state_start.assign(1, 0);
  batch_.states.clear();
  batch_.window.clear();
  batch_.target.clear();
  batch_.weight.clear();
  for (std::size_t w = 0; w < windows.size(); ++w) add_window(w);
  order_pairs();

  // Candidates were written as places in their run's list; pairs have places in the batch only now.
  std::size_t candidate = 0, state = 0;
  for (const Slot& slot : slots_) {
    if (!slot.scored) continue;
    for (; candidate < static_cast<std::size_t>(batch_.state_start[state + 1]); ++candidate) batch_.candidates[candidate] += slot.first_pair;
    ++state;
  }

  batch_.variable_features.resize(batch_.n_pairs() * n_variable_features);
  batch_.row_features.clear();
  for (PackedEdges* edges : {&batch_.rows, &batch_.variables}) {
    edges->start.assign(1, 0);
    edges->source.clear();
    edges->term.clear();
  }
  for (const std::size_t s : order_) pack_state(slots_[s]);
  return batch_;
}

void Packer::add_window(std::size_t window) {
  const std::size_t n = windows_[window].states().size();
  const auto memory = static_cast<std::size_t>(options_.memory);
  const std::size_t first_slot = slots_.size();
  if (options_.history == History::pieces) {
    for (std::size_t begin = 0; begin < n; begin += memory) add_runs(window, begin, std::min(begin + memory, n), begin);
  } else {
    // What fits into one memory is shared; every later state has a past of its own.
    const std::size_t shared = options_.history == History::full ? std::min(memory, n) : 0;
    if (shared > 0) add_runs(window, 0, shared, 0);
    for (std::size_t s = shared; s < n; ++s) add_runs(window, s + 1 - std::min(memory, s + 1), s + 1, s);
  }

  // Terms once for each topology of the window, which mostly is one.
  const auto slots = std::span(slots_).subspan(first_slot);
  for (Slot& slot : slots) {
    const auto same = std::ranges::find_if(slots, [&](const Slot& other) { return other.terms && other.state->topology == slot.state->topology; });
    if (same != slots.end()) {
      slot.terms = same->terms;
      slot.term_offset = same->term_offset;
    } else if (slot.n_pairs > 0) {
      slot.terms = cache_.of(windows_[window].episode, slot.state->topology);
      slot.term_offset = static_cast<std::int32_t>(batch_.coefficients.size());
      batch_.coefficients.insert(batch_.coefficients.end(), slot.terms->coefficient.begin(), slot.terms->coefficient.end());
    }
  }
}

void Packer::add_runs(std::size_t window, std::size_t begin, std::size_t end, std::size_t first_scored) {
  const auto states = windows_[window].states();
  const auto n_labels = static_cast<std::size_t>(std::ranges::count_if(states, [](const State& s) { return s.label.has_value(); }));
  const auto scored = [&](std::size_t s) { return s >= first_scored && (options_.score_all ? !states[s].candidates.empty() : states[s].label.has_value()); };
  for (std::size_t first = begin; first < end;) {
    std::size_t last = first + 1;  // behind the run
    while (options_.memory > 1 && last < end && states[last].topology == states[first].topology) ++last;
    if (run_variables_.size() == n_runs_) run_variables_.emplace_back();
    auto& variables = run_variables_[n_runs_];
    variables.clear();
    const std::size_t first_slot = slots_.size();
    for (std::size_t s = first; s < last; ++s) slots_.push_back({window, &states[s], n_runs_, static_cast<std::int32_t>(s - first)});

    // Backwards: the list grows, and a variable keeps its place in it.
    index_.resize(std::max(index_.size(), windows_[window].topology(states[first]).n_variables()), -1);
    for (std::size_t s = last; s-- > first;) {
      Slot& slot = slots_[first_slot + (s - first)];
      slot.scored = scored(s);
      if (slot.scored) {
        for (const std::int32_t variable : states[s].candidates) {
          auto& place = index_[static_cast<std::size_t>(variable)];
          if (place >= 0) continue;
          place = static_cast<std::int32_t>(variables.size());
          variables.push_back(variable);
        }
      }
      slot.n_pairs = static_cast<std::int32_t>(variables.size());
    }
    for (std::size_t s = first; s < last; ++s) {
      if (slots_[first_slot + (s - first)].scored) add_candidates(slots_[first_slot + (s - first)], n_labels);
    }
    for (const std::int32_t variable : variables) index_[static_cast<std::size_t>(variable)] = -1;
    ++n_runs_;
    first = last;
  }
}

void Packer::add_candidates(const Slot& slot, std::size_t n_labels) {
  const State& state = *slot.state;
  for (const std::int32_t variable : state.candidates) batch_.candidates.push_back(index_[static_cast<std::size_t>(variable)]);
  batch_.state_start.push_back(static_cast<std::int32_t>(batch_.candidates.size()));
  batch_.states.push_back(&state);
  batch_.window.push_back(slot.window);
  if (!state.label) {
    batch_.target.resize(batch_.candidates.size(), 0);
    batch_.weight.push_back(0);
    return;
  }
  const Label& label = *state.label;
  const double best = label.score[static_cast<std::size_t>(label.choice)];
  const bool soft = options_.target == Target::soft && best > 0;
  const auto share = [&](std::size_t k) { return soft ? std::pow(std::max(label.score[k], 0.0) / best, options_.sharpness) : static_cast<double>(label.best[k]); };
  double sum = 0;
  for (std::size_t k = 0; k < state.candidates.size(); ++k) sum += share(k);
  for (std::size_t k = 0; k < state.candidates.size(); ++k) batch_.target.push_back(share(k) / sum);
  batch_.weight.push_back((options_.depth_weighting ? depth_weight(windows_[slot.window], state) : 1.0) / static_cast<double>(n_labels));
}

void Packer::order_pairs() {
  order_.clear();
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (slots_[s].n_pairs > 0) order_.push_back(s);
  }
  std::ranges::stable_sort(order_, {}, [&](std::size_t s) { return slots_[s].step; });
  batch_.previous.clear();
  batch_.step_start.assign(1, 0);
  for (const std::size_t s : order_) {
    Slot& slot = slots_[s];
    if (static_cast<std::size_t>(slot.step) == batch_.step_start.size()) batch_.step_start.push_back(static_cast<std::int32_t>(batch_.previous.size()));
    slot.first_pair = static_cast<std::int32_t>(batch_.previous.size());
    // The state before is the slot before, and the list of this one is the beginning of its list.
    const std::int64_t before = slot.step == 0 ? 0 : slots_[s - 1].first_pair - batch_.step_start[static_cast<std::size_t>(slot.step) - 1];
    for (std::int32_t i = 0; i < slot.n_pairs; ++i) batch_.previous.push_back(slot.step == 0 ? 0 : before + i);
    const bool last_of_run = s + 1 == slots_.size() || slots_[s + 1].run != slot.run;
    if (options_.history == History::shuffled && slot.step > 0 && last_of_run) {
      const auto other = rng_of(windows_[slot.window], *slot.state).permutation(slot.n_pairs);
      for (std::size_t i = 0; i < other.size(); ++i) batch_.previous[static_cast<std::size_t>(slot.first_pair) + i] = before + other[i];
    }
  }
  batch_.step_start.push_back(static_cast<std::int32_t>(batch_.previous.size()));
}

void Packer::pack_state(const Slot& slot) {
  const Topology& topology = windows_[slot.window].topology(*slot.state);
  const auto pairs = std::span(run_variables_[slot.run]).first(static_cast<std::size_t>(slot.n_pairs));

  // Rows next to a pair, in the topology's order: its arrays are then read from front to back.
  row_index_.assign(topology.n_rows(), -1);
  for (const std::int32_t j : pairs) {
    const auto variable = static_cast<std::size_t>(j);
    for (auto e = topology.variable_start[variable]; e < topology.variable_start[variable + 1]; ++e) {
      row_index_[static_cast<std::size_t>(topology.edge_row[static_cast<std::size_t>(e)])] = 0;
    }
  }

  // Their edges.  Variables that are not in a pair come behind all pairs, in the order in which they are met.
  const auto first_extra = static_cast<std::int32_t>(batch_.variable_features.size() / n_variable_features);
  extra_.clear();
  for (std::size_t i = 0; i < pairs.size(); ++i) index_[static_cast<std::size_t>(pairs[i])] = slot.first_pair + static_cast<std::int32_t>(i);
  auto n_rows = static_cast<std::int32_t>(batch_.rows.start.size()) - 1;
  for (std::size_t row = 0; row < topology.n_rows(); ++row) {
    if (row_index_[row] < 0) continue;
    row_index_[row] = n_rows++;
    const auto* features = slot.state->row_features.data() + row * n_row_features;
    batch_.row_features.insert(batch_.row_features.end(), features, features + n_row_features);
    const auto begin = static_cast<std::size_t>(topology.row_start[row]), end = static_cast<std::size_t>(topology.row_start[row + 1]);
    const std::size_t at = batch_.rows.source.size();
    batch_.rows.source.resize(at + end - begin);
    batch_.rows.term.resize(at + end - begin);
    std::int32_t* source = batch_.rows.source.data() + at;
    std::int32_t* term = batch_.rows.term.data() + at;
    for (std::size_t e = begin; e < end; ++e) {
      std::int32_t& place = index_[static_cast<std::size_t>(topology.edge_variable[e])];
      if (place < 0) {
        place = first_extra + static_cast<std::int32_t>(extra_.size());
        extra_.push_back(topology.edge_variable[e]);
      }
      *source++ = place;
      *term++ = slot.term_offset + slot.terms->by_row[e];
    }
    batch_.rows.start.push_back(static_cast<std::int32_t>(batch_.rows.source.size()));
  }
  for (const std::int32_t j : pairs) {
    const auto variable = static_cast<std::size_t>(j);
    for (auto e = static_cast<std::size_t>(topology.variable_start[variable]); e < static_cast<std::size_t>(topology.variable_start[variable + 1]); ++e) {
      batch_.variables.source.push_back(row_index_[static_cast<std::size_t>(topology.edge_row[e])]);
      batch_.variables.term.push_back(slot.term_offset + slot.terms->by_variable[e]);
    }
    batch_.variables.start.push_back(static_cast<std::int32_t>(batch_.variables.source.size()));
  }

  auto& features = batch_.variable_features;
  features.resize(features.size() + extra_.size() * n_variable_features);
  copy_rows(slot.state->variable_features, pairs, n_variable_features, features.data() + static_cast<std::size_t>(slot.first_pair) * n_variable_features);
  copy_rows(slot.state->variable_features, std::span<const std::int32_t>(extra_), n_variable_features, features.data() + static_cast<std::size_t>(first_extra) * n_variable_features);
  for (const std::int32_t variable : pairs) index_[static_cast<std::size_t>(variable)] = -1;
  for (const std::int32_t variable : extra_) index_[static_cast<std::size_t>(variable)] = -1;
}

std::vector<std::span<const Window>> group_windows(std::span<const Window> windows, std::size_t edges) {
  std::vector<std::span<const Window>> groups;
  std::size_t begin = 0, sum = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    for (const State& state : windows[w].states()) sum += windows[w].topology(state).n_edges();
    if (sum < edges && w + 1 < windows.size()) continue;
    groups.push_back(windows.subspan(begin, w + 1 - begin));
    begin = w + 1;
    sum = 0;
  }
  return groups;
}

}  // namespace bough
