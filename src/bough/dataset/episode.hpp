// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bough/observe/graph.hpp"
#include "bough/safetensors.hpp"

namespace bough {

/// A shard is at most this large uncompressed: 32 states of the largest benchmark (60,000 columns) need a twentieth of it.
inline constexpr std::size_t max_shard_bytes = std::size_t{4} << 30U;

/// What full strong branching says about the candidates of a node.  Always about all of them: there is no partial label.
struct Label {
  std::vector<double> down_gain;         // (n_candidates)  growth of the LP objective in the down child, >= 0
  std::vector<double> up_gain;           // (n_candidates)
  std::vector<std::uint8_t> infeasible;  // (n_candidates)  1: the down child is infeasible, 2: the up child, 3: both
  std::vector<double> score;             // (n_candidates)  SCIP's product score of the two gains
  std::vector<std::uint8_t> best;        // (n_candidates)  1 where the score equals the best to one part in 10^9
  std::int32_t choice = -1;              ///< the first candidate with the highest score

  bool operator==(const Label&) const = default;
};

/// One branching decision: what was seen, what the expert says, what was done.
struct State {
  std::int32_t topology = 0;             ///< index into Episode::topologies
  std::vector<float> variable_features;  // (n_variables, 19)
  std::vector<float> row_features;       // (n_rows, 5)
  std::vector<std::int32_t> candidates;  // (n_candidates)  variables of the graph
  std::vector<float> khalil;             // (n_candidates, 72), or empty
  std::optional<Label> label;            ///< without one, the state is history for those after it
  std::int32_t chosen = -1;              ///< the candidate that was branched on; -1 if it is none of these, or SCIP did something else
  std::int64_t decision = 0;             ///< its number in the episode, from 0: consecutive numbers are consecutive decisions
  std::int64_t node = 0;                 ///< SCIP's number of the node
  std::int32_t depth = 0;
  double lp_objective = 0;               ///< the three in the transformed problem, which is minimised
  double dual_bound = 0;                 ///< of the whole tree
  double primal_bound = 0;               ///< +infinity if there is no incumbent

  bool operator==(const State&) const = default;
};

/// One solve, seen as decisions.  Windows are runs of consecutive decisions: window w has the states window_start[w] ..
/// window_start[w + 1].
struct Episode {
  std::map<std::string, std::string, std::less<>> metadata;  ///< where it comes from; with the schema's name added when written
  std::vector<Topology> topologies;
  std::vector<State> states;
  std::vector<std::int32_t> window_start{0};  // (n_windows + 1)

  [[nodiscard]] std::size_t n_windows() const { return window_start.size() - 1; }
  [[nodiscard]] std::size_t n_labels() const;

  bool operator==(const Episode&) const = default;
};

/// The format's name and version in a shard's metadata.
inline constexpr std::string_view episode_schema = "bough-episode/1";

/// The shard's bytes, before compression (docs/formats.md).  Equal episodes give equal bytes.
std::string episode_bytes(const Episode& episode);

/// The other direction.  Nothing in the file is trusted: every index, size and number is checked, Error (bad_input) says what is
/// wrong; another schema or feature set is refused by name.
Episode read_episode(const SafeTensors& file);

/// Reads and checks a shard.
Episode read_shard(const std::filesystem::path& path);

}  // namespace bough
