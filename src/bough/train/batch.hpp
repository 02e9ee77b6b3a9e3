// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/dataset/loader.hpp"
#include "bough/model/edge_terms.hpp"

namespace bough {

/// What the network shall say about a labelled state: each of the tied best alike, or more the closer a score comes to the best.
enum class Target : std::uint8_t { ties, soft };
inline constexpr std::array<std::string_view, 2> target_names{"ties", "soft"};

/// Where a state's memory comes from.  `pieces`: a window is cut into consecutive pieces of `memory` states, and memory begins with
/// each piece.  `full`: every state remembers the memory - 1 states before it, as the solver does, as far as its window reaches.  `shuffled`: the
/// same, but at the last of its steps each variable continues the memory of a random variable of the same state.
enum class History : std::uint8_t { pieces, full, shuffled };

struct PackOptions {
  int memory = 1;  ///< L of tgat; 1 for networks without memory
  History history = History::pieces;
  bool score_all = false;  ///< logits also for states without a label
  Target target = Target::ties;
  double sharpness = 4;  ///< of soft targets
  bool depth_weighting = false;
};

/// Edges by target (EdgesByTarget in model/sparse.hpp).
struct PackedEdges {
  std::vector<std::int32_t> start;   // (n_targets + 1)
  std::vector<std::int32_t> source;  // (n_edges)
  std::vector<std::int32_t> term;    // (n_edges)
};

/// The states of some windows as one graph whose parts do not touch, with no more of each state than its logits depend on.
///
/// A pair is a state and a variable whose embedding after both half layers is needed: a candidate of the state or, with memory, of a
/// later state that remembers it.  Rows are those next to a pair's variable; variables are the pairs' own, in the order of the pairs,
/// then the others next to a row.
///
/// Memory runs in steps: step k holds the pairs of all states that are the k-th of their run, so the pairs of step k + 1 continue
/// pairs of step k.
struct Batch {
  std::vector<float> variable_features;  // (n_variables, 19)  not normalised
  std::vector<float> row_features;       // (n_rows, 5)
  std::vector<float> coefficients;       // (n_terms)
  PackedEdges rows;                      // targets: rows, sources: variables
  PackedEdges variables;                 // targets: pairs, sources: rows
  std::vector<std::int32_t> step_start;  // (n_steps + 1)  in the pairs
  std::vector<std::int64_t> previous;    // (n_pairs)  the pair that it continues, counted from the start of the step before; 0 in the first step
  std::vector<std::int64_t> candidates;  // (n_candidates)  the candidates of all scored states, state by state: their pairs
  std::vector<std::int32_t> state_start{0};  // (n_states + 1)  in the candidates
  std::vector<const State*> states;      // (n_states)  the scored states, in the windows' order; the windows own them
  std::vector<std::size_t> window;       // (n_states)  to which of the packed windows it belongs
  std::vector<double> target;            // (n_candidates)  sums to 1 over a labelled state, 0 otherwise
  std::vector<double> weight;            // (n_states)  1 / labelled states of its window, times its depth's; 0 without a label

  [[nodiscard]] std::size_t n_pairs() const { return static_cast<std::size_t>(step_start.back()); }
};

/// The distinct coefficients of topologies, indexed once for each: that takes longer than a training step.  Safe to share between
/// threads; forgets episodes that nobody holds any more.
class TermsCache {
 public:
  struct Terms {
    std::vector<float> coefficient;         // (n_terms)
    std::vector<std::int32_t> by_row;       // (n_edges)
    std::vector<std::int32_t> by_variable;  // (n_edges)
  };
  std::shared_ptr<const Terms> of(const std::shared_ptr<const Episode>& episode, std::int32_t topology);

 private:
  struct Entry {
    std::weak_ptr<const Episode> owner;  // alive: the pointer in the key still means the same episode
    std::shared_ptr<const Terms> terms;
  };
  std::mutex mutex_;
  std::map<std::pair<const Episode*, std::int32_t>, Entry> entries_;
  std::size_t purge_at_ = 64;
};

/// Packs windows into batches.  Keeps its memory from call to call; one for each thread.
class Packer {
 public:
  /// The cache must outlive the packer.
  explicit Packer(TermsCache& cache) : cache_(cache) {}

  /// The result is valid until the next call and as long as the windows.
  const Batch& pack(std::span<const Window> windows, const PackOptions& options);

 private:
  /// One state of a run.  Its pairs are the first n_pairs variables of the run's list: a state needs what later states need, and more.
  struct Slot {
    std::size_t window;  ///< of those that are packed
    const State* state;
    std::size_t run;
    std::int32_t step;
    std::int32_t n_pairs = 0;
    std::int32_t first_pair = 0;   ///< in the batch
    std::int32_t term_offset = 0;
    bool scored = false;
    std::shared_ptr<const TermsCache::Terms> terms{};
  };
  void add_window(std::size_t window);
  void add_runs(std::size_t window, std::size_t begin, std::size_t end, std::size_t first_scored);
  void add_candidates(const Slot& slot, std::size_t n_labels);
  void order_pairs();
  void pack_state(const Slot& slot);

  TermsCache& cache_;
  PackOptions options_;
  std::span<const Window> windows_;
  Batch batch_;
  std::vector<Slot> slots_;
  std::size_t n_runs_ = 0;
  std::vector<std::vector<std::int32_t>> run_variables_;  // (n_runs)  variables of the run's first state, those of later states first
  std::vector<std::int32_t> index_;     // (n_variables)  of the topology at hand: place in a list, -1 elsewhere
  std::vector<std::int32_t> row_index_;  // (n_rows)
  std::vector<std::size_t> order_;      // slots by step
  std::vector<std::int32_t> extra_;     // variables of a state that are not in a pair
};

/// Cuts a batch into groups of windows with about `edges` edges each: what one thread packs and learns from at a time.  Depends on
/// nothing but the windows.
std::vector<std::span<const Window>> group_windows(std::span<const Window> windows, std::size_t edges);

}  // namespace bough
