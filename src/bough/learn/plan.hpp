// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bough/evaluate/metrics.hpp"
#include "bough/instance/source.hpp"

namespace bough {

/// A user's instances in three parts that share none: to learn from, to choose the model with, and to judge it on.  Each in random order: whoever
/// takes the first few takes no kind of names in particular.
struct Parts {
  std::vector<std::string> train;
  std::vector<std::string> valid;
  std::vector<std::string> held_out;
};

inline constexpr std::size_t fewest_instances = 10;
inline constexpr std::int64_t fewest_labels = 16;  ///< in each of the sets

/// Deals the instances out at random: a quarter is held out (3 to 30), 15 % validate (2 to 30).
/// Throws Error (bad_input) with fewer than `fewest_instances`.
Parts deal(const std::vector<Instance>& instances, std::uint64_t seed);

/// What solving a few of the training instances with `relpscost` and `pscost` showed.  Nodes are pscost's: the other rule's strong branching
/// ends nodes without a trace, and an instance that it solves "at the root" may still be a tree.
struct Probe {
  double mean_time_s = 0;       ///< a run at its limit counts with it
  double slowest_s = 0;
  double share_after_root = 0;  ///< of relpscost's time: what a branching rule can change at most
  double mean_nodes = 0;
  std::size_t n_instances = 0;
  std::size_t n_at_root = 0;    ///< solved without branching
  std::size_t n_at_limit = 0;   ///< runs that ended there: nobody knows how long they take
  std::size_t n_in_root = 0;    ///< instances that reached it in their root node
};
Probe probe_of(const Evaluation& evaluation);

/// Why learning cannot help: "" if it may.  For people: says what was seen and what to do.
std::string hopeless(const Probe& probe);

/// How a time budget is spent; a tenth is reserve.  With one candidate there is nothing to choose, and more to learn from.
struct Plan {
  double collect_s = 0;
  double train_s = 0;
  double choose_s = 0;
  double judge_s = 0;
  double run_limit_s = 0;  ///< of a single solve.  If a run met the probe's, nobody knows how long others take: the fewest instances that can show anything may then all meet it
};
Plan plan_of(double budget_s, const Probe& probe, std::size_t n_policies, std::size_t n_candidates);

/// As many as fit in the time at the rate that was seen, within sensible limits.
std::int64_t labels_for(double time_s, double labels_per_s);
int epochs_for(double time_s, double epoch_s);

/// How often to solve `n` instances at most, so that the solves alone fit in the time: where hardly a state is found to label, more of them would not help.
/// Once where nobody knows how long they take.
std::int64_t passes_for(double time_s, const Probe& probe, std::size_t n);

/// The limit of a solve in which the expert is asked: an hour, and no more than the whole set may take.
double episode_limit_for(double time_s);

/// `n` instances took `spent_s`: how many of `n_all` to have solved next, `n` if no more fit in the time.  At most twice as many: the next may take longer.
std::size_t instances_for(double time_s, double spent_s, std::size_t n, std::size_t n_all);

/// The fastest; times within two hundredths of each other are a tie, which nodes decide.  `among` is not empty.
const PolicySummary& best_by_solving(const std::vector<const PolicySummary*>& among);

/// Takes out the instances on which `rule` failed or crashed, a file that cannot be read for one: nothing can be compared with it there.  A
/// failure of the model alone counts against it.  Returns their names, each with a message.
std::map<std::string, std::string> leave_out_failures(Evaluation& evaluation, std::string_view rule);

/// What came out, in plain words.
struct Judgement {
  bool faster = false;
  std::string text;   ///< one paragraph
};
struct Evidence {
  std::string model;             ///< the policy's name
  std::string rule;              ///< SCIP's default
  Ratio time{};                  ///< rule over model
  double share_after_root = 0;   ///< of the rule's time on the held-out instances
  double top1 = 0;               ///< on the validation states
  std::optional<double> train_top1{};  ///< on the states it was trained on, if it can be compared
  double chance = 0;             ///< accuracy of guessing
  std::int64_t n_labels = 0;
  std::int64_t n_without_result = 0;  ///< runs with the model that failed or crashed: they count as unsolved
};
Judgement judgement_of(const Evidence& input);

}  // namespace bough
