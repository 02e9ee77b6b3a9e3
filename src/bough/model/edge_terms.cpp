// SPDX-License-Identifier: Apache-2.0
#include "bough/model/edge_terms.hpp"

#include <algorithm>
#include <bit>

namespace bough {

void EdgeTerms::index(const Topology& topology) {
  const std::size_t n_edges = topology.n_edges();
  coefficient.clear();
  coefficient.reserve(n_edges);  // the most there can be: no growth later
  by_row.resize(n_edges);
  by_variable.resize(n_edges);
  // Open addressing on the bits of the float, at most half full.
  const int bits = std::bit_width(2 * n_edges + 1);
  slots_.assign(std::size_t{1} << bits, -1);
  const std::size_t mask = slots_.size() - 1;
  const auto term_of = [&](float value) {
    const auto key = std::bit_cast<std::uint32_t>(value);
    std::size_t slot = static_cast<std::size_t>((std::uint64_t{key} * 0x9e3779b97f4a7c15U) >> (64 - bits));
    for (;; slot = (slot + 1) & mask) {
      const std::int32_t term = slots_[slot];
      if (term >= 0 && std::bit_cast<std::uint32_t>(coefficient[static_cast<std::size_t>(term)]) == key) return term;
      if (term < 0) {
        coefficient.push_back(value);
        return slots_[slot] = static_cast<std::int32_t>(coefficient.size() - 1);
      }
    }
  };
  for (std::size_t e = 0; e < n_edges; ++e) by_row[e] = term_of(topology.edge_coefficient[e]);
  for (std::size_t e = 0; e < n_edges; ++e) by_variable[e] = term_of(topology.edge_coefficient_by_variable[e]);
}

}  // namespace bough
