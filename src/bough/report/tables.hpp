// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/evaluate/record.hpp"
#include "bough/report/table.hpp"

namespace bough {

/// The tables of a report over one or more directories of `bough evaluate`.  Every figure is one of evaluate/metrics.hpp, and every
/// table's note says under which settings it was measured.

/// The paper's Table 1: a section for a family, a row for a policy; time, wins and nodes by size.  Sizes of a family may come from
/// different evaluations if their settings are the same.
Table main_table(std::span<const Evaluation> evaluations);

/// A section for a group: what was solved, how long, with how many nodes and decisions.
Table detail_table(std::span<const Evaluation> evaluations);

/// Every policy's time, time after the root and nodes over those of `base`, or of an evaluation's last policy where it has no `base`.
Table ratio_table(std::span<const Evaluation> evaluations, const std::string& base = "tgat");

/// How many times as fast as relpscost a policy is, in the paper and here.  No sections if there is nothing to compare.
Table paper_table(std::span<const Evaluation> evaluations);

/// The paper's Tables 2 and 3, the integral of the dual bound at several time limits, and its equation 10 where optima are known; for
/// loadbalance, maritime and the settings `ml4co`.
std::optional<Table> reward_table(std::span<const Evaluation> evaluations);

/// All that have something to show.
std::vector<Table> report_tables(std::span<const Evaluation> evaluations);

}  // namespace bough
