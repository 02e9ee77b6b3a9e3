// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "bough/evaluate/record.hpp"

namespace bough {

/// The figures that were published for these policies, as printed, under our names:
///
///   M. Seyfi, A. Banitalebi-Dehkordi, Z. Zhou, Y. Zhang: Exact Combinatorial Optimization with Temporo-Attentional Graph Neural
///   Networks, 2023.  SCIP 7.0, one V100, limit 3600 s, 20 instances x 5 seeds a column.
///
/// fullstrong is their FSB, pscost PB, relpscost RPB, lambdamart L-MART, extratrees EX-TREES; the others keep their names.
inline constexpr std::string_view paper_citation = "Seyfi, Banitalebi-Dehkordi, Zhou, Zhang: Exact Combinatorial Optimization with Temporo-Attentional Graph Neural Networks, 2023";

/// One policy on one family and size, of Table 1.
struct PaperFigures {
  double time_s = 0;
  double time_deviation_s = 0;
  int n_wins = 0;  ///< of 100
  std::optional<double> nodes;
  std::optional<double> node_deviation;
};

inline constexpr std::array<std::string_view, 3> paper_sizes{"easy", "medium", "hard"};

/// A row of Table 1.
struct PaperResult {
  std::string_view family;
  std::string_view policy;
  std::array<PaperFigures, 3> by_size;  ///< of paper_sizes
};

inline constexpr std::array<int, 8> paper_time_limits_s{60, 120, 240, 480, 900, 1200, 2400, 3600};

/// A row of Table 2 (loadbalance) or 3 (maritime, without 120 s): the integral of the dual bound.
struct PaperReward {
  std::string_view family;
  std::string_view policy;  ///< "ei-oroas" and "nuri" are teams of the ML4CO competition
  std::array<std::optional<double>, 8> by_limit;  ///< of paper_time_limits_s
};

std::span<const PaperResult> paper_results();
std::span<const PaperReward> paper_rewards();

/// What Table 1 says; empty if it has no such family, size or policy.
std::optional<PaperFigures> paper_figures(std::string_view family, std::string_view size, std::string_view policy);

/// The name under which Table 1 or our rules know a policy of a suite, whatever the suite calls it: "tgat-concat" is a "tgat".
std::string paper_name(const PolicyInfo& policy);

}  // namespace bough
