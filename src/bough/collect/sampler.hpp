// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "bough/collect/expert.hpp"
#include "bough/dataset/episode.hpp"
#include "bough/observe/policy.hpp"
#include "bough/scip/settings.hpp"

namespace bough {

enum class Labels : std::uint8_t { all, last };
enum class Start : std::uint8_t { first, anywhere };
enum class Follow : std::uint8_t { expert, explorer };
inline constexpr std::array<std::string_view, 2> labels_names{"all", "last"};
inline constexpr std::array<std::string_view, 2> start_names{"first", "anywhere"};
inline constexpr std::array<std::string_view, 2> follow_names{"expert", "explorer"};

/// Where an episode takes its samples.  An episode alternates exploration with windows of `window` consecutive decisions.
struct Sampling {
  int window = 4;
  Labels labels = Labels::all;      ///< label every state of a window, or only its last, the others being history
  Start start = Start::anywhere;    ///< windows one after the other from the root on, or each with `probability` at a free decision
  double probability = 0.05;
  int max_candidates = 0;           ///< the expert is asked about so many candidates of a state, drawn at random, and the state keeps only these; 0: about all
  Follow follow = Follow::expert;   ///< who decides at a labelled state; everywhere else the explorer does
  int max_labels = 32;              ///< an episode opens no window after this many
  std::int64_t max_nodes = 10'000;  ///< and ends at this many nodes
  bool khalil = false;              ///< store Khalil's features of the candidates too
};

struct EpisodeRequest {
  std::function<void(SCIP*)> load;  ///< puts the problem into SCIP
  Settings settings;                ///< the node limit is the sampling's
  Sampling sampling;
  Policy* explorer = nullptr;
  std::uint64_t seed = 0;           ///< of the windows' places
  std::function<void()> on_label{};      ///< after every label
  std::function<void()> on_root_done{};  ///< when the root node is done
};

/// An episode and what it cost.
struct SampledEpisode {
  Episode episode;
  std::string end;                                     ///< a solve's status, or "enough" at max_labels
  std::array<std::int64_t, n_no_label> unlabelled{};   ///< states that the expert did not label, by reason
  std::int64_t n_fallbacks = 0;                        ///< decisions that the explorer's scores could not make
  std::int64_t n_decisions = 0;
  std::int64_t n_nodes = 0;
  double solve_time_s = 0;    ///< from presolving to the end
  double expert_time_s = 0;   ///< strong branching
  double observe_time_s = 0;  ///< extracting and keeping states, asking an explorer that scores: the part of the solve that is not SCIP's
};

/// Throws Error (usage) if the settings put a rule above the sampler: SCIP would branch with that one and never ask.
void refuse_other_rules(SCIP* scip);

/// Solves one problem and takes samples on the way.  Deterministic: the same request gives the same episode, unless a time limit
/// ends it.
SampledEpisode sample_episode(const EpisodeRequest& request);

}  // namespace bough
