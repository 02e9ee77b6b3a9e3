// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bough/evaluate/metrics.hpp"
#include "bough/evaluate/record.hpp"

namespace bough {

/// What a race comes to.
enum class Verdict {
  faster,
  slower,
  unclear,  ///< 1 lies within the interval, or the signed-rank test says that it might as well be nothing
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
