// SPDX-License-Identifier: Apache-2.0
#include "bough/model/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bough/model/scorer.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "bough/model/dense-inl.hpp"
#include "bough/model/frame.hpp"
#include "bough/model/products-inl.hpp"

#ifndef BOUGH_MODEL_SCORER_IMPL
#define BOUGH_MODEL_SCORER_IMPL
namespace bough {

struct Scorer::Impl {
  explicit Impl(const Model& model) : layout(model), frames(static_cast<std::size_t>(model.architecture.remembers() ? model.architecture.memory : 1)) {}

  [[nodiscard]] std::size_t d() const { return static_cast<std::size_t>(layout.architecture.d); }
  [[nodiscard]] std::size_t heads() const { return static_cast<std::size_t>(layout.architecture.heads); }
  [[nodiscard]] std::size_t width() const { return layout.architecture.width(); }
  [[nodiscard]] bool concat() const { return layout.architecture.attends() && layout.architecture.attention == Attention::concat; }
  [[nodiscard]] std::size_t output_width() const { return (layout.architecture.remembers() ? 3 : 1) * d(); }

  /// The k-th of the remembered decisions, the oldest first.
  Frame& frame(std::size_t k) { return frames[(newest + frames.size() - (n_frames - 1) + k) % frames.size()]; }

  Layout layout;
  std::vector<Frame> frames;  // (L)  a ring
  std::size_t newest = 0;
  std::size_t n_frames = 0;   ///< that are valid
  std::optional<std::uint64_t> version;  ///< of the topology that they have

  const Topology* topology = nullptr;  ///< during score()
  std::size_t n_connected = 0;         ///< its variables that are in a row
  EdgeTerms terms;
  TermTable row_terms;
  TermTable variable_terms;

  std::vector<std::int32_t> new_variables;  ///< to be computed in a frame, by kind
  std::vector<std::int32_t> new_rows;
  std::vector<std::int32_t> new_outputs;
  Block block;
};

}  // namespace bough
#endif

HWY_BEFORE_NAMESPACE();
namespace bough::HWY_NAMESPACE {

using Impl = Scorer::Impl;

/// Calls f(nodes of the block, how many) for consecutive blocks of a list.
template <class F>
HWY_INLINE void for_each_block(const std::vector<std::int32_t>& nodes, const F& f) {
  for (std::size_t at = 0; at < nodes.size(); at += block_size) f(nodes.data() + at, std::min(block_size, nodes.size() - at));
}

/// x = relu(linear(relu(linear(n(features))))) for the nodes of a block, into block.x.
HWY_INLINE void embed(Block& block, const Normalisation& input, const Layer& first, const Layer& second, const std::vector<float>& features,
                      const std::int32_t* nodes, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float* from = features.data() + static_cast<std::size_t>(nodes[i]) * first.in;
    float* to = block.input.data() + i * first.in;
    for (std::size_t k = 0; k < first.in; ++k) to[k] = (from[k] - input.mean[k]) * input.scale[k];
  }
  linear<true>(first, n, block.input.data(), first.in, block.hidden.data(), first.out);
  linear<true>(second, n, block.hidden.data(), first.out, block.x.data(), second.out);
}

/// The logits of a block's nodes, whose projections are in block.p, and their exponentials.
HWY_INLINE void own_logits(Impl& s, const HalfLayer& half, std::size_t n) {
  attention_logits(half.attention.data(), s.heads(), s.d(), n, s.block.p.data(), s.block.logit.data());
  exponentials_of_logits(s.block.logit.data(), n * s.heads(), s.block.weight.data());
}

/// The source projections of a block's nodes, whose embeddings are in block.x, into a table.
HWY_INLINE void project_sources(Impl& s, const HalfLayer& half, const std::int32_t* nodes, std::size_t n, SourceTable& table) {
  const std::size_t d = s.d();
  const std::size_t width = s.width();
  linear(half.source, n, s.block.x.data(), d, s.block.p.data(), width);
  for (std::size_t i = 0; i < n; ++i) std::copy_n(s.block.p.data() + i * width, width, table.projection.data() + static_cast<std::size_t>(nodes[i]) * width);
  if (!s.concat()) return;
  own_logits(s, half, n);
  const std::size_t heads = s.heads();
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(s.block.logit.data() + i * heads, heads, table.logit.data() + static_cast<std::size_t>(nodes[i]) * heads);
    std::copy_n(s.block.weight.data() + i * heads, heads, table.weight.data() + static_cast<std::size_t>(nodes[i]) * heads);
  }
}

/// One half layer for the targets of a block: their embeddings in block.x become the new ones.
HWY_INLINE void half_layer(Impl& s, const HalfLayer& half, const EdgesByTarget& edges, const SourceTable& source, const TermTable& term,
                           const std::int32_t* nodes, std::size_t n) {
  Block& block = s.block;
  const std::size_t d = s.d();
  const std::size_t width = s.width();
  const std::size_t merged = 2 * d;
  linear(half.target, n, block.x.data(), d, block.p.data(), width);
  if (s.concat()) own_logits(s, half, n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto node = static_cast<std::size_t>(nodes[i]);
    const float* p = block.p.data() + i * width;
    float* to = block.merged.data() + i * merged;
    if (!s.layout.architecture.attends()) {
      convolve_one(Convolution<float>{edges, d, nullptr, source.projection.data(), term.projection.data()}, node, p, to);
    } else if (s.concat()) {
      const ConcatAttention<float> x{edges, s.heads(), d, nullptr, source.projection.data(), nullptr, source.logit.data(), term.logit.data()};
      if (!term.by_products || !attend_by_products(x, {source.weight.data(), term.weight.data()}, node, p, block.weight.data() + i * s.heads(), to)) {
        attend_one(x, node, p, block.edge.data(), block.logit.data() + i * s.heads(), to);
      }
    } else {
      attend_one(SumAttention<float>{edges, s.heads(), d, nullptr, source.projection.data(), term.projection.data(), half.attention.data()}, node, p,
                 block.edge.data(), block.self.data(), to);
    }
    for (std::size_t k = 0; k < d; ++k) to[k] = (to[k] - half.gathered.mean[k]) * half.gathered.scale[k];
    std::copy_n(block.x.data() + i * d, d, to + d);
  }
  linear<true>(half.post_0, n, block.merged.data(), merged, block.hidden.data(), d);
  linear<true>(half.post_1, n, block.hidden.data(), d, block.x.data(), d);
}

/// What the distinct coefficients contribute to a half layer.
void fill_terms(Impl& s, const HalfLayer& half, TermTable& table) {
  const std::size_t d = s.d();
  const std::size_t width = s.width();
  const std::size_t n_terms = s.terms.coefficient.size();
  (s.concat() ? table.logit : table.projection).resize(n_terms * (s.concat() ? s.heads() : width));
  for (std::size_t at = 0; at < n_terms; at += block_size) {
    const std::size_t n = std::min(block_size, n_terms - at);
    Block& block = s.block;
    for (std::size_t i = 0; i < n; ++i) {
      block.input[i] = (s.terms.coefficient[at + i] - s.layout.edge_input.mean[0]) * s.layout.edge_input.scale[0];
    }
    float* projection = s.concat() ? block.p.data() : table.projection.data() + at * width;
    if (s.layout.architecture.attends()) {
      linear<true>(s.layout.edge_embed, n, block.input.data(), 1, block.hidden.data(), d);
      linear(half.edge, n, block.hidden.data(), d, projection, width);
    } else {
      linear(half.edge, n, block.input.data(), 1, projection, width);
    }
    if (s.concat()) attention_logits(half.attention_edge.data(), s.heads(), d, n, projection, table.logit.data() + at * s.heads());
  }
  table.weight.resize(table.logit.size());
  exponentials_of_logits(table.logit.data(), table.logit.size(), table.weight.data());
  table.by_products = std::ranges::all_of(table.logit, [](float u) { return std::abs(u) <= largest_term_logit; });
}

/// Lists what `candidates` need of a frame and what is not there yet: outputs of candidates, their rows, those rows' variables.
HWY_INLINE void list_missing(Impl& s, Frame& frame, std::span<const std::int32_t> candidates) {
  const Topology& t = *s.topology;
  s.new_outputs.clear();
  s.new_rows.clear();
  s.new_variables.clear();
  const auto want = [](std::vector<std::uint8_t>& has, std::int32_t node, std::vector<std::int32_t>& list) {
    if (has[static_cast<std::size_t>(node)] != 0) return false;
    has[static_cast<std::size_t>(node)] = 1;
    list.push_back(node);
    return true;
  };
  for (const std::int32_t j : candidates) want(frame.has_output, j, s.new_outputs);
  for (const std::int32_t j : s.new_outputs) {
    const auto begin = t.variable_start[static_cast<std::size_t>(j)];
    const auto end = t.variable_start[static_cast<std::size_t>(j) + 1];
    if (want(frame.has_variable, j, s.new_variables) && begin < end) ++frame.n_connected;
    for (auto e = begin; e < end; ++e) {
      want(frame.has_row, t.edge_row[static_cast<std::size_t>(e)], s.new_rows);
    }
  }
  for (const std::int32_t i : s.new_rows) {
    if (frame.n_connected == s.n_connected) break;  // all there are
    for (auto e = t.row_start[static_cast<std::size_t>(i)]; e < t.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
      if (want(frame.has_variable, t.edge_variable[static_cast<std::size_t>(e)], s.new_variables)) ++frame.n_connected;
    }
  }
}

/// Makes the outputs of the candidates valid in a frame.
HWY_INLINE void complete(Impl& s, Frame& frame, std::span<const std::int32_t> candidates) {
  list_missing(s, frame, candidates);
  const Layout& layout = s.layout;
  const Topology& t = *s.topology;
  Block& block = s.block;
  const std::size_t d = s.d();
  for_each_block(s.new_variables, [&](const std::int32_t* nodes, std::size_t n) HWY_ATTR {
    embed(block, layout.variable_input, layout.variable_0, layout.variable_1, frame.variable_features, nodes, n);
    project_sources(s, layout.rows, nodes, n, frame.variables);
  });
  const EdgesByTarget by_row{t.row_start.data(), t.edge_variable.data(), s.terms.by_row.data()};
  for_each_block(s.new_rows, [&](const std::int32_t* nodes, std::size_t n) HWY_ATTR {
    embed(block, layout.row_input, layout.row_0, layout.row_1, frame.row_features, nodes, n);
    half_layer(s, layout.rows, by_row, frame.variables, s.row_terms, nodes, n);
    project_sources(s, layout.variables, nodes, n, frame.rows);
  });
  const EdgesByTarget by_variable{t.variable_start.data(), t.edge_row.data(), s.terms.by_variable.data()};
  const std::size_t width = s.output_width();
  for_each_block(s.new_outputs, [&](const std::int32_t* nodes, std::size_t n) HWY_ATTR {
    embed(block, layout.variable_input, layout.variable_0, layout.variable_1, frame.variable_features, nodes, n);  // again: as fast as a table of all of them
    half_layer(s, layout.variables, by_variable, frame.rows, s.variable_terms, nodes, n);
    const float* result = block.x.data();
    if (layout.architecture.remembers()) {
      linear(layout.gru_input, n, block.x.data(), d, block.hidden.data(), width);
      result = block.hidden.data();
    }
    for (std::size_t i = 0; i < n; ++i) std::copy_n(result + i * width, width, frame.output.data() + static_cast<std::size_t>(nodes[i]) * width);
  });
}

/// The logits of a block of candidates, whose outputs are there in every frame.
HWY_INLINE void decide(Impl& s, const std::int32_t* nodes, std::size_t n, float* logits) {
  Block& block = s.block;
  const std::size_t d = s.d();
  const std::size_t width = s.output_width();
  const auto output = [&](Frame& frame, std::size_t i) { return frame.output.data() + static_cast<std::size_t>(nodes[i]) * width; };
  if (s.layout.architecture.remembers()) {
    std::fill_n(block.state.data(), n * d, 0.0F);
    for (std::size_t k = 0; k < s.n_frames; ++k) {
      for (std::size_t i = 0; i < n; ++i) block.rows[i] = output(s.frame(k), i);
      if (k == 0) {  // the state is 0: of the hidden layer only the bias is left
        gru_step(n, d, block.rows.data(), s.layout.gru_hidden.bias.data(), 0, block.state.data());
      } else {
        linear(s.layout.gru_hidden, n, block.state.data(), d, block.hidden.data(), 3 * d);
        gru_step(n, d, block.rows.data(), block.hidden.data(), 3 * d, block.state.data());
      }
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) std::copy_n(output(s.frame(0), i), d, block.state.data() + i * d);
  }
  linear<true>(s.layout.head_0, n, block.state.data(), d, block.hidden.data(), d);
  for (std::size_t i = 0; i < n; ++i) logits[i] = dot(s.layout.head_1.data(), block.hidden.data() + i * d, d);
}

void index_topology(Impl& s) {
  fill_terms(s, s.layout.rows, s.row_terms);
  fill_terms(s, s.layout.variables, s.variable_terms);
}

void score_candidates(Impl& s, std::span<const std::int32_t> candidates, std::span<float> logits) {
  for (std::size_t k = 0; k < s.n_frames; ++k) complete(s, s.frame(k), candidates);
  for (std::size_t at = 0; at < candidates.size(); at += block_size) {
    decide(s, candidates.data() + at, std::min(block_size, candidates.size() - at), logits.data() + at);
  }
}

}  // namespace bough::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bough {
namespace {

HWY_EXPORT(index_topology);
HWY_EXPORT(score_candidates);

std::size_t most_edges(const std::vector<std::int32_t>& start) {
  std::int32_t most = 0;
  for (std::size_t i = 0; i + 1 < start.size(); ++i) most = std::max(most, start[i + 1] - start[i]);
  return static_cast<std::size_t>(most);
}

/// Makes room for decisions on a topology.  The only place that allocates.
void adopt(Scorer::Impl& s, const Topology& t) {
  const std::size_t d = s.d();
  const std::size_t width = s.width();
  const auto make_room = [&](SourceTable& table, std::size_t n_sources) {
    table.projection.resize(n_sources * width);
    if (!s.concat()) return;
    table.logit.resize(n_sources * s.heads());
    table.weight.resize(n_sources * s.heads());
  };
  for (Frame& frame : s.frames) {
    frame.variable_features.resize(t.n_variables() * n_variable_features);
    frame.row_features.resize(t.n_rows() * n_row_features);
    frame.has_variable.resize(t.n_variables());
    make_room(frame.variables, t.n_variables());
    frame.has_row.resize(t.n_rows());
    make_room(frame.rows, t.n_rows());
    frame.has_output.resize(t.n_variables());
    frame.output.resize(t.n_variables() * s.output_width());
  }
  s.n_connected = 0;
  for (std::size_t j = 0; j < t.n_variables(); ++j) s.n_connected += t.variable_start[j] < t.variable_start[j + 1] ? 1 : 0;
  s.new_variables.reserve(t.n_variables());
  s.new_outputs.reserve(t.n_variables());
  s.new_rows.reserve(t.n_rows());
  Block& block = s.block;
  block.input.resize(block_size * n_variable_features);
  block.hidden.resize(block_size * 3 * d);
  block.x.resize(block_size * d);
  block.p.resize(block_size * width);
  block.merged.resize(block_size * 2 * d);
  block.state.resize(block_size * d);
  block.edge.resize(std::max(most_edges(t.row_start), most_edges(t.variable_start)) * s.heads());
  block.logit.resize(block_size * s.heads());
  block.weight.resize(block_size * s.heads());
  block.self.resize(s.heads());
  block.rows.resize(block_size);
  s.terms.index(t);
  HWY_DYNAMIC_DISPATCH(index_topology)(s);
}

}  // namespace

Scorer::Scorer(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
Scorer::~Scorer() = default;
Scorer::Scorer(Scorer&&) noexcept = default;
Scorer& Scorer::operator=(Scorer&&) noexcept = default;

void Scorer::score(const BipartiteGraph& graph, std::uint64_t topology_version, std::span<const std::int32_t> candidates, std::span<float> logits) {
  Impl& s = *impl_;
  if (s.version != topology_version) {
    s.version.reset();  // should memory run out on the way
    s.n_frames = 0;
    adopt(s, graph.topology);
    s.version = topology_version;
  }
  s.newest = (s.newest + 1) % s.frames.size();
  s.n_frames = std::min(s.n_frames + 1, s.frames.size());
  Frame& frame = s.frames[s.newest];
  std::ranges::copy(graph.variable_features, frame.variable_features.begin());
  std::ranges::copy(graph.row_features, frame.row_features.begin());
  std::ranges::fill(frame.has_variable, 0);
  frame.n_connected = 0;
  std::ranges::fill(frame.has_row, 0);
  std::ranges::fill(frame.has_output, 0);
  s.topology = &graph.topology;
  HWY_DYNAMIC_DISPATCH(score_candidates)(s, candidates, logits);
}

void Scorer::forget() {
  impl_->n_frames = 0;
  impl_->version.reset();
}

int Scorer::n_remembered() const { return static_cast<int>(std::min(impl_->n_frames, impl_->frames.size() - 1)); }

}  // namespace bough
#endif
