// SPDX-License-Identifier: Apache-2.0
#include "bough/learn/plan.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <utility>

#include "bough/error.hpp"
#include "bough/rng.hpp"

namespace bough {

Parts deal(const std::vector<Instance>& instances, std::uint64_t seed) {
  const std::size_t n = instances.size();
  if (n < fewest_instances) {
    throw Error(ExitCode::bad_input, std::format("{} instances are too few to learn from: at least {} are needed", n, fewest_instances),
                "some are learned from, others choose the model, others judge it; more of the same kind make a better model");
  }
  std::vector<std::string> names;
  for (const Instance& instance : instances) names.push_back(instance.name);
  Rng rng("learn parts", seed);
  for (std::size_t i = n - 1; i > 0; --i) std::swap(names[i], names[rng.below(i + 1)]);
  const auto share = [&](double part, double fewest) { return static_cast<std::ptrdiff_t>(std::clamp(std::round(part * static_cast<double>(n)), fewest, 30.0)); };
  const auto held_out = names.begin() + share(0.25, 3);
  const auto valid = held_out + share(0.15, 2);
  return {{valid, names.end()}, {held_out, valid}, {names.begin(), held_out}};
}

Probe probe_of(const Evaluation& evaluation) {
  Probe probe;
  double after_root_s = 0, relpscost_s = 0, total_s = 0;
  for (const RunRecord& run : evaluation.runs) {
    const double time_s = run.solved() ? run.time_s : evaluation.time_limit_s;
    total_s += time_s;
    probe.n_at_limit += run.solved() ? 0 : 1;
    probe.slowest_s = std::max(probe.slowest_s, time_s);
    if (run.policy == "relpscost") {
      relpscost_s += time_s;
      after_root_s += std::max(0.0, time_s - run.root_time_s);
    } else {
      ++probe.n_instances;
      probe.mean_nodes += static_cast<double>(run.n_nodes);
      if (run.n_nodes <= 1) ++(run.solved() ? probe.n_at_root : probe.n_in_root);
    }
  }
  probe.mean_time_s = total_s / static_cast<double>(std::max<std::size_t>(1, evaluation.runs.size()));
  probe.mean_nodes /= static_cast<double>(std::max<std::size_t>(1, probe.n_instances));
  probe.share_after_root = relpscost_s > 0 ? after_root_s / relpscost_s : 0;
  return probe;
}

std::string hopeless(const Probe& probe) {
  if (probe.n_instances > 0 && probe.n_at_root == probe.n_instances) {
    return std::format("SCIP solves all {} instances that were tried at the root node ({:.2f} s on average): it never branches, so there is nothing to learn. Larger instances would be another matter.", probe.n_instances,
                       probe.mean_time_s);
  }
  if (probe.n_instances > 0 && probe.n_in_root == probe.n_instances) {
    return std::format("SCIP does not finish the root node of any of the {} instances that were tried, in {:.0f} s each: full strong branching would see nothing. A larger budget gives them longer; smaller instances of the same kind can teach too.",
                       probe.n_instances, probe.slowest_s);
  }
  return "";
}

Plan plan_of(double budget_s, const Probe& probe, std::size_t n_policies, std::size_t n_candidates) {
  Plan plan{.collect_s = 0.35 * budget_s, .train_s = 0.25 * budget_s, .choose_s = 0.10 * budget_s, .judge_s = 0.20 * budget_s};
  if (n_candidates == 1) plan.collect_s += std::exchange(plan.choose_s, 0);
  const double fits_s = plan.judge_s / static_cast<double>(n_policies * least_instances);
  plan.run_limit_s = probe.n_at_limit > 0 ? std::max({10.0, 2 * probe.slowest_s, fits_s}) : std::max(10.0, 10 * probe.slowest_s);
  return plan;
}

std::int64_t labels_for(double time_s, double labels_per_s) { return static_cast<std::int64_t>(std::clamp(time_s * labels_per_s, static_cast<double>(fewest_labels), 40'000.0)); }

int epochs_for(double time_s, double epoch_s) { return static_cast<int>(std::clamp(time_s / std::max(1e-3, epoch_s), 4.0, 60.0)); }

std::int64_t passes_for(double time_s, const Probe& probe, std::size_t n) {
  if (probe.n_at_limit > 0) return 1;
  return static_cast<std::int64_t>(std::clamp(time_s / std::max(1e-3, probe.mean_time_s * static_cast<double>(n)), 1.0, 20.0));
}

double episode_limit_for(double time_s) { return std::clamp(time_s, 60.0, 3600.0); }

std::size_t instances_for(double time_s, double spent_s, std::size_t n, std::size_t n_all) {
  const double fit = static_cast<double>(n) * time_s / std::max(1e-3, spent_s);
  return std::min(n_all, static_cast<std::size_t>(std::clamp(fit, static_cast<double>(n), 2.0 * static_cast<double>(n))));
}

const PolicySummary& best_by_solving(const std::vector<const PolicySummary*>& among) {
  const double fastest = (*std::ranges::min_element(among, {}, [](const PolicySummary* s) { return s->time_s.mean; }))->time_s.mean;
  const PolicySummary* best = nullptr;
  for (const PolicySummary* s : among) {
    if (s->time_s.mean <= 1.02 * fastest && (best == nullptr || std::isnan(best->nodes.mean) || s->nodes.mean < best->nodes.mean)) best = s;
  }
  return *best;
}

std::map<std::string, std::string> leave_out_failures(Evaluation& evaluation, std::string_view rule) {
  std::map<std::string, std::string> failed;
  for (const RunRecord& run : evaluation.runs) {
    if (run.policy == rule && (run.end == "failed" || run.end == "crashed")) failed[run.instance] = run.message;
  }
  evaluation.n_planned -= std::erase_if(evaluation.runs, [&](const RunRecord& run) { return failed.contains(run.instance); });
  return failed;
}

Judgement judgement_of(const Evidence& x) {
  const auto interval = [](const Ratio& ratio) { return std::format("{:.2f} [{:.2f}, {:.2f}]", ratio.ratio, ratio.low, ratio.high); };
  Judgement judgement;
  judgement.faster = is_shown(x.time) && x.time.low > 1;
  const std::string without_result = x.n_without_result == 0 ? "" : std::format(" {} of its runs failed and count as unsolved: judge/runs.jsonl has their messages.", x.n_without_result);
  if (judgement.faster) {
    judgement.text = std::format("On {} held-out instances SCIP with {} is {} times as fast as with {}, its default (95 % interval).", x.time.n_instances, x.model, interval(x.time), x.rule) + without_result;
    return judgement;
  }
  judgement.text = std::format("{} is not shown to be faster: on {} held-out instances SCIP is {} times as fast with it as with {}, its default (95 % interval).", x.model, x.time.n_instances, interval(x.time), x.rule) + without_result;
  if (x.share_after_root < 0.3) judgement.text += std::format(" Branching can change only {:.0f} % of the time; the rest is presolving and the root node.", 100 * x.share_after_root);
  if (x.top1 < 1.5 * x.chance) judgement.text += std::format(" The network finds full strong branching's choice in {:.0f} % of the states, guessing in {:.0f} %: these labels teach little.", 100 * x.top1, 100 * x.chance);
  if (x.train_top1 && *x.train_top1 - x.top1 > 0.15) {
    judgement.text += std::format(" It is right in {:.0f} % of the states it was trained on and in {:.0f} % of others: the instances differ too much for {} states; a larger budget would help.", 100 * *x.train_top1, 100 * x.top1, x.n_labels);
  }
  if (x.time.low > 1 && x.time.n_instances >= least_instances) judgement.text += std::format(" The interval alone would say so, but a signed-rank test over the instances does not (p = {:.2f}).", x.time.p_value);
  if (x.time.high > 1 && x.time.n_instances < 10) {
    judgement.text += std::format(" {} instances are too few to be sure{}: more of them, or a larger budget, may settle it.", x.time.n_instances, x.time.low > 1 && x.time.n_instances < least_instances ? ", whatever the interval says" : "");
  }
  return judgement;
}

}  // namespace bough
