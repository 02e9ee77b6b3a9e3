// SPDX-License-Identifier: Apache-2.0
#include "tests/models.hpp"

#include <cmath>
#include <format>

#include "bough/rng.hpp"

namespace bough::test {
namespace {

std::size_t size_of(const TensorSpec& spec) {
  std::size_t size = 1;
  for (const std::size_t extent : spec.shape) size *= extent;
  return size;
}

float uniform(Rng& rng, double low, double high) { return static_cast<float>(rng.uniform(low, high)); }

void draw_variable_features(BipartiteGraph& graph, std::size_t j, std::size_t first, Rng& rng) {
  for (std::size_t f = first; f < n_variable_features; ++f) {
    const bool binary = rng.bernoulli(0.5);
    graph.variable_features[j * n_variable_features + f] = binary ? (rng.bernoulli(0.5) ? 1.0F : 0.0F) : uniform(rng, -2, 2);
  }
}

void draw_row_features(BipartiteGraph& graph, std::size_t i, std::size_t first, Rng& rng) {
  for (std::size_t f = first; f < n_row_features; ++f) graph.row_features[i * n_row_features + f] = uniform(rng, -2, 2);
}

}  // namespace

std::vector<Architecture> all_architectures() {
  using enum Network;
  using enum Attention;
  return {{gcnn, 16, 1, 1, concat}, {gcnn, 32, 1, 1, concat}, {gcnn, 64, 1, 1, concat},
          {gat, 16, 2, 1, sum},     {gat, 32, 3, 1, sum},     {gat, 64, 1, 1, sum},
          {gat, 16, 1, 1, concat},  {gat, 32, 2, 1, concat},  {gat, 64, 3, 1, concat},
          {tgat, 16, 3, 4, sum},    {tgat, 32, 1, 1, sum},    {tgat, 64, 2, 2, sum},
          {tgat, 16, 2, 2, concat}, {tgat, 32, 2, 4, concat}, {tgat, 32, 3, 1, concat}, {tgat, 64, 1, 4, concat}};
}

std::string name_of(const Architecture& a) {
  std::string name(network_names[static_cast<std::size_t>(a.network)]);
  if (a.attends()) name += std::format("_{}", attention_names[static_cast<std::size_t>(a.attention)]);
  name += std::format("_d{}", a.d);
  if (a.attends()) name += std::format("_h{}", a.heads);
  if (a.remembers()) name += std::format("_l{}", a.memory);
  return name;
}

Model random_model(const Architecture& architecture, std::uint64_t seed, float scale) {
  Rng rng("test model", seed);
  Model model{architecture, {}, "{}"};
  for (const TensorSpec& spec : tensors_of(architecture)) {
    std::vector<float>& values = model.tensors[spec.name];
    values.resize(size_of(spec));
    const double fan = static_cast<double>(spec.shape.front() + spec.shape.back());
    double bound = scale * std::sqrt(6 / fan);
    // A vector of attention has one row a head, but each head is one output.
    if (spec.name.contains(".attention")) bound = scale * std::sqrt(6 / static_cast<double>(spec.shape.back() + 1));
    for (float& x : values) {
      if (spec.name.ends_with(".mean")) x = uniform(rng, -0.5, 0.5);
      else if (spec.name.ends_with(".std")) x = uniform(rng, 0.3, 1.5);
      else x = uniform(rng, -bound, bound);
    }
  }
  return model;
}

Model constant_model(const Architecture& architecture, float value) {
  Model model{architecture, {}, "{}"};
  for (const TensorSpec& spec : tensors_of(architecture)) model.tensors[spec.name].assign(size_of(spec), value);
  return model;
}

BipartiteGraph random_graph(std::size_t n_rows, std::size_t n_variables, double density, std::uint64_t seed) {
  Rng rng("test graph", seed);
  BipartiteGraph graph;
  Topology& topology = graph.topology;
  graph.variable_features.resize(n_variables * n_variable_features);
  graph.row_features.resize(n_rows * n_row_features);
  for (std::size_t j = 0; j < n_variables; ++j) draw_variable_features(graph, j, 0, rng);
  const auto isolated = [&](std::size_t j) { return n_variables > 3 && j % 7 == 3; };
  while (topology.n_rows() < n_rows) {
    const std::size_t i = topology.n_rows();
    draw_row_features(graph, i, 0, rng);
    const auto first = topology.edge_variable.size();
    for (std::size_t j = 0; i % 11 != 5 && j < n_variables; ++j) {  // every eleventh row is empty
      if (isolated(j) || !rng.bernoulli(density)) continue;
      topology.edge_variable.push_back(static_cast<std::int32_t>(j));
      const float magnitude = rng.bernoulli(0.7) ? 0.5F : uniform(rng, 0.1, 1);
      topology.edge_coefficient.push_back(rng.bernoulli(0.3) ? -magnitude : magnitude);
    }
    const auto last = topology.edge_variable.size();
    topology.row_start.push_back(static_cast<std::int32_t>(last));
    if (topology.n_rows() == n_rows || !rng.bernoulli(0.25)) continue;
    // An equality: the same row with its signs turned.
    for (std::size_t e = first; e < last; ++e) {
      topology.edge_variable.push_back(topology.edge_variable[e]);
      topology.edge_coefficient.push_back(-topology.edge_coefficient[e]);
    }
    topology.row_start.push_back(static_cast<std::int32_t>(topology.edge_variable.size()));
    for (std::size_t f = 0; f < n_row_features; ++f) graph.row_features[(i + 1) * n_row_features + f] = -graph.row_features[i * n_row_features + f];
  }
  topology.index_by_variable(n_variables);
  return graph;
}

BipartiteGraph next_graph(const BipartiteGraph& graph, std::uint64_t seed) {
  Rng rng("test decision", seed);
  BipartiteGraph next = graph;
  for (std::size_t j = 0; j < graph.topology.n_variables(); ++j) draw_variable_features(next, j, n_static_variable_features, rng);
  for (std::size_t i = 0; i < graph.topology.n_rows(); ++i) draw_row_features(next, i, n_static_row_features, rng);
  return next;
}

BipartiteGraph fixed_graph(std::size_t decision) {
  BipartiteGraph graph;
  graph.topology.row_start = {0, 3, 6, 6, 9};  // the second row is the first with its signs turned, the third has no edge
  graph.topology.edge_variable = {0, 1, 3, 0, 1, 3, 1, 2, 5};  // the fifth variable has none
  graph.topology.edge_coefficient = {0.5F, 0.5F, -0.75F, -0.5F, -0.5F, 0.75F, 0.25F, -0.25F, 0.5F};
  graph.topology.index_by_variable(6);
  for (std::size_t k = 0; k < 6 * n_variable_features; ++k) {
    const std::size_t shift = k % n_variable_features < n_static_variable_features ? 0 : decision;
    graph.variable_features.push_back((static_cast<float>((k * k + 3 * k + 5 * shift) % 17) - 8) / 8);
  }
  for (std::size_t k = 0; k < 4 * n_row_features; ++k) {
    const std::size_t shift = k % n_row_features < n_static_row_features ? 0 : decision;
    graph.row_features.push_back((static_cast<float>((k * k + 5 * k + 3 * shift) % 13) - 6) / 4);
  }
  return graph;
}

Architecture recorded_architecture(Network network) {
  return {.network = network, .d = 16, .heads = 2, .memory = 2, .attention = network == Network::gat ? Attention::sum : Attention::concat};
}

}  // namespace bough::test
