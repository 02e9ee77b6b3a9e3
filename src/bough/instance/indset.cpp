// SPDX-License-Identifier: Apache-2.0
//
// Maximum independent set with clique rows (Bergman, Cire, van Hoeve & Hooker 2016):
//   max  sum x_v,  at most one node of every clique of a greedy partition and of every edge between two of its cliques,  x binary.
#include <algorithm>
#include <cstddef>
#include <format>
#include <numeric>
#include <string_view>
#include <utility>

#include "bough/error.hpp"
#include "bough/instance/data_file.hpp"
#include "bough/instance/family.hpp"

namespace bough {
namespace {

struct Graph {
  std::size_t n_nodes = 0;
  std::vector<std::pair<int, int>> edges;  // each pair once, first < second
};

/// Nodes join one by one, each to `affinity` older ones chosen without replacement in proportion to their degree.
Graph barabasi_albert(std::size_t n_nodes, std::size_t affinity, Rng& rng) {
  if (affinity >= n_nodes) {
    throw Error(ExitCode::usage, std::format("indset: --affinity {} needs more than {} nodes", affinity, n_nodes), "raise --nodes");
  }
  Graph graph{n_nodes, {}};
  // Every edge puts both its ends here, so that a uniform draw is a draw in proportion to the degree, in whole numbers.
  std::vector<int> ends;
  const auto join = [&](int older, int newer) {
    graph.edges.emplace_back(older, newer);
    ends.push_back(older);
    ends.push_back(newer);
  };
  for (std::size_t leaf = 1; leaf <= affinity; ++leaf) join(0, static_cast<int>(leaf));
  std::vector<int> chosen;
  for (std::size_t node = affinity + 1; node < n_nodes; ++node) {
    chosen.clear();
    while (chosen.size() < affinity) {
      // Drawing again when the node is taken leaves the others in proportion: sampling without replacement.
      const int older = ends[rng.below(ends.size())];
      if (!std::ranges::contains(chosen, older)) chosen.push_back(older);
    }
    for (const int older : chosen) join(older, static_cast<int>(node));
  }
  return graph;
}

Graph erdos_renyi(std::size_t n_nodes, double probability, Rng& rng) {
  Graph graph{n_nodes, {}};
  for (int u = 0; std::cmp_less(u, n_nodes); ++u) {
    for (int v = u + 1; std::cmp_less(v, n_nodes); ++v) {
      if (rng.bernoulli(probability)) graph.edges.emplace_back(u, v);
    }
  }
  return graph;
}

/// Nodes in the order of decreasing degree (ties: lower number first), with the neighbours of each as places in that order.
struct RankedGraph {
  std::vector<int> node_at;                  // (n_nodes)  place -> node
  std::vector<std::vector<int>> neighbours;  // (n_nodes)  place -> its neighbours' places, ascending
};

RankedGraph rank_by_degree(const Graph& graph) {
  std::vector<int> degree(graph.n_nodes);
  for (const auto& [u, v] : graph.edges) {
    ++degree[static_cast<std::size_t>(u)];
    ++degree[static_cast<std::size_t>(v)];
  }
  RankedGraph ranked{std::vector<int>(graph.n_nodes), std::vector<std::vector<int>>(graph.n_nodes)};
  std::ranges::iota(ranked.node_at, 0);
  std::ranges::stable_sort(ranked.node_at, std::ranges::greater{}, [&](int node) { return degree[static_cast<std::size_t>(node)]; });
  std::vector<std::size_t> place_of(graph.n_nodes);
  for (std::size_t place = 0; place < graph.n_nodes; ++place) place_of[static_cast<std::size_t>(ranked.node_at[place])] = place;
  for (const auto& [u, v] : graph.edges) {
    const std::size_t a = place_of[static_cast<std::size_t>(u)];
    const std::size_t b = place_of[static_cast<std::size_t>(v)];
    ranked.neighbours[a].push_back(static_cast<int>(b));
    ranked.neighbours[b].push_back(static_cast<int>(a));
  }
  for (auto& places : ranked.neighbours) std::ranges::sort(places);
  return ranked;
}

/// Greedy clique partition: the free node of largest degree takes its free neighbours, largest degree first, as long as they are
/// adjacent to all it has taken.  Every node is in exactly one clique; many cliques are single nodes.
std::vector<std::vector<int>> partition_into_cliques(const Graph& graph) {
  const RankedGraph ranked = rank_by_degree(graph);
  std::vector<bool> taken(graph.n_nodes);
  std::vector<std::vector<int>> cliques;
  for (std::size_t centre = 0; centre < graph.n_nodes; ++centre) {
    if (taken[centre]) continue;
    std::vector<int> members{static_cast<int>(centre)};
    for (const int candidate : ranked.neighbours[centre]) {
      const auto& adjacent = ranked.neighbours[static_cast<std::size_t>(candidate)];
      const bool joins = !taken[static_cast<std::size_t>(candidate)] &&
                         std::ranges::all_of(members, [&](int member) { return std::ranges::binary_search(adjacent, member); });
      if (joins) members.push_back(candidate);
    }
    auto& clique = cliques.emplace_back();
    for (const int place : members) {
      taken[static_cast<std::size_t>(place)] = true;
      clique.push_back(ranked.node_at[static_cast<std::size_t>(place)]);
    }
    std::ranges::sort(clique);
  }
  return cliques;
}

Milp build(const Graph& graph) {
  Milp milp;
  milp.maximize = true;
  for (std::size_t node = 0; node < graph.n_nodes; ++node) milp.add_binary(std::format("x{}", node + 1), 1);

  std::vector<std::size_t> clique_of(graph.n_nodes);
  const auto cliques = partition_into_cliques(graph);
  for (std::size_t c = 0; c < cliques.size(); ++c) {
    for (const int node : cliques[c]) clique_of[static_cast<std::size_t>(node)] = c;
    if (cliques[c].size() < 2) continue;
    milp.add_row(std::format("clique{}", c + 1), -Milp::infinity, 1);
    for (const int node : cliques[c]) milp.add_entry(node, 1);
  }
  for (const auto& [u, v] : graph.edges) {
    if (clique_of[static_cast<std::size_t>(u)] == clique_of[static_cast<std::size_t>(v)]) continue;
    milp.add_row(std::format("edge{}_{}", u + 1, v + 1), -Milp::infinity, 1);
    milp.add_entry(u, 1);
    milp.add_entry(v, 1);
  }
  return milp;
}

Milp generate(const Parameters& parameters, Rng& rng) {
  const auto n_nodes = static_cast<std::size_t>(parameters.integer("nodes"));
  const double probability = parameters.real("edge-probability");
  if (probability > 0) return build(erdos_renyi(n_nodes, probability, rng));
  return build(barabasi_albert(n_nodes, static_cast<std::size_t>(parameters.integer("affinity")), rng));
}

/// DIMACS clique file: `c` comments, `p edge <nodes> <edges>`, `e <u> <v>`.  A maximum clique there is a maximum independent set of
/// the complement, which is the graph we build from.
Milp from_data(const std::filesystem::path& path, const Parameters&) {
  NumberReader in(path);
  std::size_t n_nodes = 0;
  int n_edges_left = 0;
  std::vector<bool> adjacent;  // (n_nodes, n_nodes)
  for (std::string_view kind = in.token(); !kind.empty(); kind = in.token()) {
    if (kind == "e") {
      if (n_nodes == 0) in.fail("an edge before the line 'p edge <nodes> <edges>'");
      if (n_edges_left-- == 0) in.fail("more edges than the 'p' line announces");
      const auto u = static_cast<std::size_t>(in.integer("an edge's node", 1, static_cast<int>(n_nodes)) - 1);
      const auto v = static_cast<std::size_t>(in.integer("an edge's node", 1, static_cast<int>(n_nodes)) - 1);
      if (u == v) in.fail(std::format("node {} has an edge to itself", u + 1));
      adjacent[u * n_nodes + v] = adjacent[v * n_nodes + u] = true;
    } else if (kind == "p") {
      if (n_nodes > 0) in.fail("a second 'p' line");
      in.token();  // "edge", "col" or "clq"
      n_nodes = static_cast<std::size_t>(in.integer("the number of nodes", 1, 30'000));
      n_edges_left = in.integer("the number of edges", 0, 1'000'000'000);
      adjacent.resize(n_nodes * n_nodes);
    } else if (kind != "c") {
      in.fail(std::format("expected a line that starts with c, p or e, got '{}'", kind.substr(0, 40)));
    }
    in.skip_line();
  }
  if (n_nodes == 0) in.fail("no line 'p edge <nodes> <edges>'");
  if (n_edges_left > 0) in.fail(std::format("the file ends with {} edges missing of those the 'p' line announces", n_edges_left));

  Graph complement{n_nodes, {}};
  for (std::size_t u = 0; u < n_nodes; ++u) {
    for (std::size_t v = u + 1; v < n_nodes; ++v) {
      if (!adjacent[u * n_nodes + v]) complement.edges.emplace_back(static_cast<int>(u), static_cast<int>(v));
    }
  }
  return build(complement);
}

const FamilyRegistration registration{{
    .name = "indset",
    .summary = "maximum independent set of a random graph",
    .reference = "Bergman, Cire, van Hoeve & Hooker 2016; sizes of Gasse et al. 2019 (Gupta et al. 2020: easy has 750 nodes)",
    .parameters = {{"nodes", "nodes", {60, 500, 1000, 1500}, 1, 1e6},
                   {"affinity", "edges that each new node brings (Barabasi-Albert)", {8, 4, 4, 4}, 1, 1000},
                   {"edge-probability", "above 0: each pair is an edge with this probability (Erdos-Renyi) instead", {0, 0, 0, 0}, 0, 1,
                    false}},
    .generate = generate,
    .from_data = from_data,
    .data_format = "a DIMACS clique file (.clq); the graph is its complement",
}};

}  // namespace
}  // namespace bough
