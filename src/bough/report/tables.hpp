// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/evaluate/metrics.hpp"
#include "bough/evaluate/record.hpp"
#include "bough/report/table.hpp"

namespace bough {

/// The tables of a report over one or more directories of `bough evaluate`.  Every figure is one of evaluate/metrics.hpp, and every
/// table's note says under which settings it was measured.

/// "Set Covering, easy"; for a folder of files the group's name.
std::string group_title(const GroupInfo& group);

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

/// What a race comes to.
enum class Verdict {
  faster,
  slower,
  unclear,  ///< 1 lies within the interval, or the instances are too few to tell
};

/// The learned policy of a group against a rule of SCIP.
struct Headline {
  std::string evaluation;
  std::string group;
  std::string title;   ///< of the group
  std::string policy;  ///< named tgat, or else the first with a network
  std::string base;    ///< relpscost or pscost
  Ratio time;          ///< of base over policy: above 1 the policy is faster
  Verdict verdict = Verdict::unclear;
  std::string sentence;  ///< "tgat is 1.58 times as fast as relpscost [1.48, 1.69]"
};

std::vector<Headline> headlines(std::span<const Evaluation> evaluations);

}  // namespace bough
