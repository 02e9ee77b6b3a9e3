// SPDX-License-Identifier: Apache-2.0
#include "bough/dataset/episode.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <limits>
#include <span>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/foreign_text.hpp"
#include "bough/observe/khalil_features.hpp"

namespace bough {
namespace {

/// Everything in a shard as flat columns.  The one place that knows the tensors' names, used in both directions.
///
/// T topologies, S states, W windows; V, R, E: variables, rows, edges summed over topologies; N, M, C: variables, rows, candidates
/// summed over states.
struct Columns {
  std::vector<std::int32_t> n_variables, n_rows;  // (T)
  std::vector<std::int32_t> row_degree;           // (R)
  std::vector<std::int32_t> edge_variable;        // (E)
  std::vector<float> edge_coefficient;            // (E)
  std::vector<std::int32_t> window_start;         // (W + 1)
  std::vector<std::int32_t> topology, n_candidates, choice, chosen, depth;  // (S)
  std::vector<std::int64_t> decision, node;                                 // (S)
  std::vector<double> lp_objective, dual_bound, primal_bound;               // (S)
  std::vector<std::uint8_t> labelled;                                       // (S)
  std::vector<std::int32_t> candidate;                                      // (C)
  std::vector<double> down_gain, up_gain, score;                            // (C)  0 where there is no label
  std::vector<std::uint8_t> infeasible, best;                               // (C)
  std::vector<float> khalil;                                                // (C, 72) or empty
  std::array<std::vector<float>, n_variable_features> variable;             // (V) each if static, else (N)
  std::array<std::vector<float>, n_row_features> row;                       // (R) each if static, else (M)

  template <class Self, class Visit>
  static void visit(Self& self, Visit&& visit) {
    visit("topology.n_variables", self.n_variables);
    visit("topology.n_rows", self.n_rows);
    visit("topology.row_degree", self.row_degree);
    visit("topology.edge_variable", self.edge_variable);
    visit("topology.edge_coefficient", self.edge_coefficient);
    visit("window.start", self.window_start);
    visit("state.topology", self.topology);
    visit("state.n_candidates", self.n_candidates);
    visit("state.labelled", self.labelled);
    visit("state.choice", self.choice);
    visit("state.chosen", self.chosen);
    visit("state.decision", self.decision);
    visit("state.node", self.node);
    visit("state.depth", self.depth);
    visit("state.lp_objective", self.lp_objective);
    visit("state.dual_bound", self.dual_bound);
    visit("state.primal_bound", self.primal_bound);
    visit("candidate.variable", self.candidate);
    visit("candidate.down_gain", self.down_gain);
    visit("candidate.up_gain", self.up_gain);
    visit("candidate.infeasible", self.infeasible);
    visit("candidate.score", self.score);
    visit("candidate.best", self.best);
    for (std::size_t f = 0; f < n_variable_features; ++f) {
      visit(std::format("{}.{}", f < n_static_variable_features ? "topology.variable" : "variable", variable_feature_names[f]), self.variable[f]);
    }
    for (std::size_t f = 0; f < n_row_features; ++f) {
      visit(std::format("{}.{}", f < n_static_row_features ? "topology.row" : "row", row_feature_names[f]), self.row[f]);
    }
  }
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Column f of a row-major (n, width) matrix, appended.
void append_feature(std::vector<float>& to, const std::vector<float>& matrix, std::size_t width, std::size_t f) {
  for (std::size_t i = f; i < matrix.size(); i += width) to.push_back(matrix[i]);
}

Columns columns_of(const Episode& episode) {
  Columns c;
  for (std::size_t t = 0; t < episode.topologies.size(); ++t) {
    const Topology& topology = episode.topologies[t];
    c.n_variables.push_back(static_cast<std::int32_t>(topology.n_variables()));
    c.n_rows.push_back(static_cast<std::int32_t>(topology.n_rows()));
    for (std::size_t i = 0; i < topology.n_rows(); ++i) c.row_degree.push_back(topology.row_start[i + 1] - topology.row_start[i]);
    append(c.edge_variable, topology.edge_variable);
    append(c.edge_coefficient, topology.edge_coefficient);
    // Static features belong to the topology: any state that has it holds them.
    const auto state = std::ranges::find(episode.states, static_cast<std::int32_t>(t), &State::topology);
    if (state == episode.states.end()) throw std::logic_error("a topology that no state has");
    for (std::size_t f = 0; f < n_static_variable_features; ++f) append_feature(c.variable[f], state->variable_features, n_variable_features, f);
    for (std::size_t f = 0; f < n_static_row_features; ++f) append_feature(c.row[f], state->row_features, n_row_features, f);
  }
  c.window_start = episode.window_start;
  for (const State& state : episode.states) {
    const std::size_t n = state.candidates.size();
    c.topology.push_back(state.topology);
    c.n_candidates.push_back(static_cast<std::int32_t>(n));
    c.labelled.push_back(state.label ? 1 : 0);
    c.choice.push_back(state.label ? state.label->choice : -1);
    c.chosen.push_back(state.chosen);
    c.decision.push_back(state.decision);
    c.node.push_back(state.node);
    c.depth.push_back(state.depth);
    c.lp_objective.push_back(state.lp_objective);
    c.dual_bound.push_back(state.dual_bound);
    c.primal_bound.push_back(state.primal_bound);
    append(c.candidate, state.candidates);
    append(c.khalil, state.khalil);
    const Label none{std::vector<double>(n), std::vector<double>(n), std::vector<std::uint8_t>(n), std::vector<double>(n), std::vector<std::uint8_t>(n), -1};
    const Label& label = state.label ? *state.label : none;
    append(c.down_gain, label.down_gain);
    append(c.up_gain, label.up_gain);
    append(c.infeasible, label.infeasible);
    append(c.score, label.score);
    append(c.best, label.best);
    for (std::size_t f = n_static_variable_features; f < n_variable_features; ++f) append_feature(c.variable[f], state.variable_features, n_variable_features, f);
    for (std::size_t f = n_static_row_features; f < n_row_features; ++f) append_feature(c.row[f], state.row_features, n_row_features, f);
  }
  return c;
}

/// Reads the columns front to back, one topology and one state after the other, and refuses whatever does not fit.
class Reader {
 public:
  Reader(const SafeTensors& file, Episode& episode) : file_(file), episode_(episode) {}

  void read() {
    check_schema();
    std::size_t n_known = 0;
    Columns::visit(c_, [&]<class T>(const std::string& name, std::vector<T>& column) {
      column = file_.vector<T>(name);
      if constexpr (std::is_same_v<T, float>) expect_finite(name, column);
      if constexpr (std::is_same_v<T, double>) expect(std::ranges::none_of(column, [](double v) { return std::isnan(v); }), name + " has a value that is no number");
      ++n_known;
    });
    if (file_.tensors().contains("candidate.khalil")) {
      c_.khalil = file_.values<float>("candidate.khalil", std::array{c_.candidate.size(), n_khalil_features});
      expect_finite("candidate.khalil", c_.khalil);
      ++n_known;
    }
    expect(file_.tensors().size() == n_known, "it holds tensors that this version does not know");
    check_sizes();
    for (std::size_t t = 0; t < c_.n_variables.size(); ++t) read_topology(t);
    for (std::size_t s = 0; s < c_.topology.size(); ++s) read_state(s);
    read_windows();
    for (std::size_t t = 0; t < used_.size(); ++t) expect(used_[t], "a topology that no state has");
  }

 private:
  void expect(bool condition, std::string_view problem) const {
    if (!condition) throw Error(ExitCode::bad_input, std::format("{}: not a sample shard: {}", file_.origin(), problem), "'bough inspect DIR --repair' sets damaged shards aside");
  }
  void expect_finite(std::string_view name, const std::vector<float>& values) const {
    expect(std::ranges::all_of(values, [](float v) { return std::isfinite(v); }), std::format("{} has a value that is not finite", name));
  }
  void expect_size(std::string_view name, std::size_t got, std::size_t expected) const {
    expect(got == expected, std::format("{} has {} elements; {} fit the rest", name, got, expected));
  }

  void check_schema() {
    for (const auto& [key, expected] : {std::pair{"schema", episode_schema}, std::pair{"features", feature_schema}}) {
      const auto entry = file_.metadata().find(key);
      if (entry == file_.metadata().end()) throw Error(ExitCode::bad_input, std::format("{}: not a sample shard: no '{}' in its metadata", file_.origin(), key));
      if (entry->second != expected) {
        throw Error(ExitCode::bad_input, std::format("{}: its {} is {}, this version reads \"{}\"", file_.origin(), key, in_quotes(entry->second), expected),
                    "collect the set again with 'bough collect'");
      }
    }
    episode_.metadata = file_.metadata();
    episode_.metadata.erase("schema");
    episode_.metadata.erase("features");
  }

  std::size_t checked_sum(std::string_view name, const std::vector<std::int32_t>& sizes) const {
    std::size_t total = 0;
    for (const std::int32_t n : sizes) {
      expect(n >= 0, std::format("{} has a negative size", name));
      total += static_cast<std::size_t>(n);
    }
    return total;
  }

  void check_sizes() const {
    const std::size_t n_topologies = c_.n_variables.size();
    const std::size_t n_states = c_.topology.size();
    expect(n_topologies <= n_states, "a topology that no state has");  // before room is made for all of them
    expect_size("topology.n_rows", c_.n_rows.size(), n_topologies);
    const std::size_t n_variables = checked_sum("topology.n_variables", c_.n_variables);
    const std::size_t n_rows = checked_sum("topology.n_rows", c_.n_rows);
    const std::size_t n_edges = checked_sum("topology.row_degree", c_.row_degree);
    const std::size_t n_candidates = checked_sum("state.n_candidates", c_.n_candidates);
    expect(n_edges <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), "too many edges");
    expect_size("topology.row_degree", c_.row_degree.size(), n_rows);
    expect_size("topology.edge_variable", c_.edge_variable.size(), n_edges);
    expect_size("topology.edge_coefficient", c_.edge_coefficient.size(), n_edges);
    std::size_t n_state_variables = 0;
    std::size_t n_state_rows = 0;
    for (const std::int32_t t : c_.topology) {
      expect(t >= 0 && static_cast<std::size_t>(t) < n_topologies, "state.topology names a topology that is not there");
      n_state_variables += static_cast<std::size_t>(c_.n_variables[static_cast<std::size_t>(t)]);
      n_state_rows += static_cast<std::size_t>(c_.n_rows[static_cast<std::size_t>(t)]);
    }
    for (std::size_t f = 0; f < n_variable_features; ++f) {
      expect_size(variable_feature_names[f], c_.variable[f].size(), f < n_static_variable_features ? n_variables : n_state_variables);
    }
    for (std::size_t f = 0; f < n_row_features; ++f) {
      expect_size(row_feature_names[f], c_.row[f].size(), f < n_static_row_features ? n_rows : n_state_rows);
    }
    for (const std::size_t size : {c_.n_candidates.size(), c_.labelled.size(), c_.choice.size(), c_.chosen.size(), c_.decision.size(), c_.node.size(),
                                   c_.depth.size(), c_.lp_objective.size(), c_.dual_bound.size(), c_.primal_bound.size()}) {
      expect_size("a state.* tensor", size, n_states);
    }
    for (const std::size_t size : {c_.candidate.size(), c_.down_gain.size(), c_.up_gain.size(), c_.infeasible.size(), c_.score.size(), c_.best.size()}) {
      expect_size("a candidate.* tensor", size, n_candidates);
    }
  }

  void read_topology(std::size_t t) {
    Topology topology;
    const auto n_variables = static_cast<std::size_t>(c_.n_variables[t]);
    const auto n_rows = static_cast<std::size_t>(c_.n_rows[t]);
    topology.row_start.reserve(n_rows + 1);
    for (std::size_t i = 0; i < n_rows; ++i) topology.row_start.push_back(topology.row_start.back() + c_.row_degree[row_ + i]);
    const auto n_edges = static_cast<std::ptrdiff_t>(topology.row_start.back());
    const auto edge = static_cast<std::ptrdiff_t>(edge_);
    topology.edge_variable.assign(c_.edge_variable.begin() + edge, c_.edge_variable.begin() + edge + n_edges);
    topology.edge_coefficient.assign(c_.edge_coefficient.begin() + edge, c_.edge_coefficient.begin() + edge + n_edges);
    expect(std::ranges::all_of(topology.edge_variable, [&](std::int32_t j) { return j >= 0 && static_cast<std::size_t>(j) < n_variables; }),
           "an edge to a variable that is not there");
    for (std::size_t i = 0; i < n_rows; ++i) {
      const auto row = std::span(topology.edge_variable).subspan(static_cast<std::size_t>(topology.row_start[i]), static_cast<std::size_t>(topology.row_start[i + 1] - topology.row_start[i]));
      expect(std::ranges::adjacent_find(row, std::greater_equal<>()) == row.end(), "a row whose edges are not sorted by variable");
    }
    topology.index_by_variable(n_variables);
    static_variable_.push_back(variable_);
    static_row_.push_back(row_);
    variable_ += n_variables;
    row_ += n_rows;
    edge_ += static_cast<std::size_t>(n_edges);
    episode_.topologies.push_back(std::move(topology));
    used_.push_back(false);
  }

  void read_state(std::size_t s) {
    State state;
    const auto t = static_cast<std::size_t>(c_.topology[s]);
    const auto n_variables = static_cast<std::size_t>(c_.n_variables[t]);
    const auto n_rows = static_cast<std::size_t>(c_.n_rows[t]);
    const auto n = static_cast<std::size_t>(c_.n_candidates[s]);
    used_[t] = true;
    state.topology = c_.topology[s];
    state.variable_features.resize(n_variables * n_variable_features);
    for (std::size_t f = 0; f < n_variable_features; ++f) {
      const float* from = c_.variable[f].data() + (f < n_static_variable_features ? static_variable_[t] : state_variable_);
      for (std::size_t j = 0; j < n_variables; ++j) state.variable_features[j * n_variable_features + f] = from[j];
    }
    state.row_features.resize(n_rows * n_row_features);
    for (std::size_t f = 0; f < n_row_features; ++f) {
      const float* from = c_.row[f].data() + (f < n_static_row_features ? static_row_[t] : state_row_);
      for (std::size_t i = 0; i < n_rows; ++i) state.row_features[i * n_row_features + f] = from[i];
    }
    state.candidates = slice(c_.candidate, n);
    expect(n > 0 && std::ranges::all_of(state.candidates, [&](std::int32_t j) { return j >= 0 && static_cast<std::size_t>(j) < n_variables; }),
           "a candidate that is no variable");
    if (!c_.khalil.empty()) {
      const auto begin = c_.khalil.begin() + static_cast<std::ptrdiff_t>(candidate_ * n_khalil_features);
      state.khalil.assign(begin, begin + static_cast<std::ptrdiff_t>(n * n_khalil_features));
    }
    expect(c_.chosen[s] >= -1 && c_.chosen[s] < c_.n_candidates[s], "a decision that is no candidate");
    state.chosen = c_.chosen[s];
    state.decision = c_.decision[s];
    state.node = c_.node[s];
    state.depth = c_.depth[s];
    state.lp_objective = c_.lp_objective[s];
    state.dual_bound = c_.dual_bound[s];
    state.primal_bound = c_.primal_bound[s];
    if (c_.labelled[s] != 0) state.label = read_label(s, n);
    state_variable_ += n_variables;
    state_row_ += n_rows;
    candidate_ += n;
    episode_.states.push_back(std::move(state));
  }

  Label read_label(std::size_t s, std::size_t n) const {
    Label label{slice(c_.down_gain, n), slice(c_.up_gain, n), slice(c_.infeasible, n), slice(c_.score, n), slice(c_.best, n), c_.choice[s]};
    expect(label.choice >= 0 && static_cast<std::size_t>(label.choice) < n, "the expert chose no candidate");
    for (const auto* numbers : {&label.down_gain, &label.up_gain, &label.score}) {
      expect(std::ranges::all_of(*numbers, [](double v) { return std::isfinite(v); }), "a gain or a score that is not finite");
    }
    expect(label.best[static_cast<std::size_t>(label.choice)] == 1 && label.score[static_cast<std::size_t>(label.choice)] == std::ranges::max(label.score), "the expert's choice is not among the best");
    expect(std::ranges::all_of(label.best, [](std::uint8_t b) { return b <= 1; }) && std::ranges::all_of(label.infeasible, [](std::uint8_t b) { return b <= 3; }),
           "a flag that has no meaning");
    return label;
  }

  template <class T>
  std::vector<T> slice(const std::vector<T>& column, std::size_t n) const {
    const auto begin = column.begin() + static_cast<std::ptrdiff_t>(candidate_);
    return {begin, begin + static_cast<std::ptrdiff_t>(n)};
  }

  void read_windows() {
    const auto& start = c_.window_start;
    expect(!start.empty() && start.front() == 0 && static_cast<std::size_t>(start.back()) == episode_.states.size() &&
               std::ranges::adjacent_find(start, std::greater_equal<>()) == start.end(),
           "window.start does not cut the states into windows");
    for (std::size_t w = 0; w + 1 < start.size(); ++w) {
      for (auto s = static_cast<std::size_t>(start[w]) + 1; s < static_cast<std::size_t>(start[w + 1]); ++s) {
        const auto& states = episode_.states;
        expect(states[s - 1].decision >= 0 && states[s].decision > 0 && states[s].decision - 1 == states[s - 1].decision, "a window whose decisions are not consecutive");
      }
    }
    episode_.window_start = start;
  }

  const SafeTensors& file_;
  Episode& episode_;
  Columns c_;
  std::size_t variable_ = 0, row_ = 0, edge_ = 0;                       // consumed by topologies
  std::size_t state_variable_ = 0, state_row_ = 0, candidate_ = 0;      // consumed by states
  std::vector<std::size_t> static_variable_, static_row_;               // (T)  where each topology's static features begin
  std::vector<bool> used_;                                              // (T)
};

}  // namespace

std::size_t Episode::n_labels() const {
  return static_cast<std::size_t>(std::ranges::count_if(states, [](const State& state) { return state.label.has_value(); }));
}

std::string episode_bytes(const Episode& episode) {
  const Columns columns = columns_of(episode);
  SafeTensorsWriter writer;
  for (const auto& [key, value] : episode.metadata) writer.metadata(key, value);
  writer.metadata("schema", std::string(episode_schema));
  writer.metadata("features", std::string(feature_schema));
  Columns::visit(columns, [&]<class T>(const std::string& name, const std::vector<T>& column) { writer.add(name, std::span<const T>(column), {column.size()}); });
  if (!columns.khalil.empty()) writer.add("candidate.khalil", std::span<const float>(columns.khalil), {columns.candidate.size(), n_khalil_features});
  return writer.bytes();
}

Episode read_episode(const SafeTensors& file) {
  Episode episode;
  Reader(file, episode).read();
  return episode;
}

Episode read_shard(const std::filesystem::path& path) { return read_episode(SafeTensors::parse(read_file(path, max_shard_bytes), path.string())); }

}  // namespace bough
