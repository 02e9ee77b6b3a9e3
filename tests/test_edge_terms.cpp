// SPDX-License-Identifier: Apache-2.0
#include "bough/model/edge_terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bough/rng.hpp"
#include "tests/allocations.hpp"
#include "tests/models.hpp"

namespace bough::test {
namespace {

/// One row with these coefficients, variable by variable.
Topology one_row(std::vector<float> coefficients) {
  Topology topology;
  for (std::size_t j = 0; j < coefficients.size(); ++j) topology.edge_variable.push_back(static_cast<std::int32_t>(j));
  topology.edge_coefficient = std::move(coefficients);
  topology.row_start.push_back(static_cast<std::int32_t>(topology.edge_variable.size()));
  topology.index_by_variable(topology.edge_variable.size());
  return topology;
}

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

/// The definition: a term for every pattern of bits, in the order of its first edge by row.
void expect_terms(const EdgeTerms& terms, const Topology& topology) {
  std::vector<std::uint32_t> known;
  const auto position = [&](float x) { return static_cast<std::int32_t>(std::ranges::find(known, bits(x)) - known.begin()); };
  std::vector<std::int32_t> by_row;
  std::vector<std::int32_t> by_variable;
  for (const float x : topology.edge_coefficient) {
    by_row.push_back(position(x));
    if (static_cast<std::size_t>(by_row.back()) == known.size()) known.push_back(bits(x));
  }
  for (const float x : topology.edge_coefficient_by_variable) by_variable.push_back(position(x));
  std::vector<std::uint32_t> found;
  for (const float x : terms.coefficient) found.push_back(bits(x));
  EXPECT_EQ(found, known);
  EXPECT_EQ(terms.by_row, by_row);
  EXPECT_EQ(terms.by_variable, by_variable);
}

// Rows (0.5, -1) and (0.25, 0.5) over the variables (0, 2) and (0, 1): by variable the edges are 0.5, 0.25 | 0.5 | -1.
TEST(EdgeTerms, OfASmallGraphAreWhatIsWrittenByHand) {
  Topology topology;
  topology.row_start = {0, 2, 4};
  topology.edge_variable = {0, 2, 0, 1};
  topology.edge_coefficient = {0.5F, -1, 0.25F, 0.5F};
  topology.index_by_variable(3);
  EdgeTerms terms;
  terms.index(topology);
  EXPECT_EQ(terms.coefficient, (std::vector<float>{0.5F, -1, 0.25F}));
  EXPECT_EQ(terms.by_row, (std::vector<std::int32_t>{0, 1, 2, 0}));
  EXPECT_EQ(terms.by_variable, (std::vector<std::int32_t>{0, 2, 0, 1}));
}

TEST(EdgeTerms, AreTheDistinctCoefficientsOfRandomGraphs) {
  EdgeTerms terms;  // one for all: large after small and small after large
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t n = seed % 3 == 0 ? 60 : 5;
    const Topology topology = random_graph(n, 2 * n, seed % 5 == 0 ? 0.0 : 0.2, seed).topology;
    terms.index(topology);
    expect_terms(terms, topology);
  }
}

TEST(EdgeTerms, AreOneIfAllCoefficientsAreEqualAndAsManyAsEdgesIfNoneAre) {
  EdgeTerms terms;
  const Topology equal = one_row(std::vector<float>(1'000, 0.125F));
  terms.index(equal);
  EXPECT_EQ(terms.coefficient.size(), 1U);
  expect_terms(terms, equal);

  // Neighbours in memory order, and powers of two, whose low bits are all zero: what a bad hash would put into one slot.
  std::vector<float> distinct;
  for (float x = 1; distinct.size() < 3'000; x = std::nextafter(x, 2.0F)) distinct.push_back(x);
  for (int exponent = -100; exponent <= 100; ++exponent) distinct.push_back(3 * std::ldexp(1.0F, exponent));
  const Topology all = one_row(distinct);
  terms.index(all);
  EXPECT_EQ(terms.coefficient, distinct);
  expect_terms(terms, all);
}

TEST(EdgeTerms, DistinguishZeroFromMinusZeroByTheirBits) {
  EdgeTerms terms;
  const Topology topology = one_row({0.0F, -0.0F, 0.0F, -0.0F, std::numeric_limits<float>::denorm_min()});
  terms.index(topology);
  ASSERT_EQ(terms.coefficient.size(), 3U);
  EXPECT_FALSE(std::signbit(terms.coefficient[0]));
  EXPECT_TRUE(std::signbit(terms.coefficient[1]));
  expect_terms(terms, topology);
}

TEST(EdgeTerms, OfAGraphWithoutEdgesAreNone) {
  EdgeTerms terms;
  terms.index(one_row({1, 2}));
  terms.index(Topology{});
  EXPECT_TRUE(terms.coefficient.empty() && terms.by_row.empty() && terms.by_variable.empty());
}

TEST(EdgeTerms, OfASmallerTopologyNeedNoNewMemory) {
  const Topology large = random_graph(50, 100, 0.2, 1).topology;
  const Topology small = random_graph(20, 40, 0.2, 2).topology;
  EdgeTerms terms;
  terms.index(large);
  const std::size_t before = n_allocations();
  terms.index(small);
  terms.index(large);
  EXPECT_EQ(n_allocations(), before);
  expect_terms(terms, large);
}

}  // namespace
}  // namespace bough::test
