// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bough/model/model.hpp"
#include "bough/observe/graph.hpp"

namespace bough::test {

/// One call of Scorer::score.
struct Decision {
  BipartiteGraph graph;
  std::uint64_t version;
  std::vector<std::int32_t> candidates;
};

/// What the document gives for it, and how far the logits of all variables of the graph lie apart: the scale on which an error matters.
struct Expected {
  std::vector<double> logits;  // (n_candidates)
  double range;
};

/// For consecutive decisions of one scorer, whose memory ends where the version changes.
std::vector<Expected> expected_logits(const Model& model, std::span<const Decision> decisions);

/// Within 1e-4 of the range.  The scorer computes in float, with 6e-8 a rounding: some ten layers, each with sums of up to 2d terms and
/// with activations that cancel, make 1e-6 to 1e-5 of it; a mistake in a formula makes 1e-2 and more.
void expect_logits(std::span<const float> logits, const Expected& expected, std::size_t decision);

inline std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float x : values) bits.push_back(std::bit_cast<std::uint32_t>(x));
  return bits;
}

}  // namespace bough::test
