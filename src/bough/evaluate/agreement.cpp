// SPDX-License-Identifier: Apache-2.0
#include "bough/evaluate/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bough {
namespace {

// Something known of an instance: the value in the sense of minimisation, and who says so in words, with the value as recorded.
struct Witness {
  double value;
  std::string says;
};

bool proves_optimum(const RunRecord& run) { return run.solved() && run.status == "optimal" && std::isfinite(run.primal_bound); }

double tolerance_between(double a, double b) { return agreement_tolerance * std::max({1.0, std::abs(a), std::abs(b)}); }
bool below(double a, double b) { return a < b - tolerance_between(a, b); }

std::string name_of(const RunRecord& run) { return std::format("{} (seed {})", run.policy, run.seed); }

std::string what_was_found(const RunRecord& run) {
  return std::format("{} {} {}", name_of(run), proves_optimum(run) ? "proved the optimum" : "found a solution of value", run.primal_bound);
}

// Every run is compared with one optimum and one best solution instead of with every other run: one wrong run among 25 then gives one
// line, not 24.
class Instance {
 public:
  Instance(std::span<const RunRecord* const> runs, std::optional<double> reference) : sign_(runs.front()->maximise ? -1 : 1) {
    if (reference) optimum_ = Witness{sign_ * *reference, std::format("the reference optimum is {}", *reference)};
    for (const RunRecord* run : runs) {
      if (!optimum_ && proves_optimum(*run)) optimum_ = Witness{sign_ * run->primal_bound, what_was_found(*run)};
    }
    best_ = optimum_;
    for (const RunRecord* run : runs) {
      const double value = sign_ * run->primal_bound;
      if (std::isfinite(value) && (!best_ || value < best_->value)) best_ = Witness{value, what_was_found(*run)};
    }
  }

  // What `run` says and someone else denies.
  [[nodiscard]] std::vector<std::string> contradictions(const RunRecord& run) const {
    std::vector<std::string> found;
    const auto contradict = [&](const std::string& says, const Witness& witness) { found.push_back(std::format("{}; {}", says, witness.says)); };
    const double solution = sign_ * run.primal_bound;
    const double bound = sign_ * run.dual_bound;
    if (proves_optimum(run)) {  // its dual bound says nothing more
      if (below(solution, optimum_->value) || below(optimum_->value, solution)) contradict(what_was_found(run), *optimum_);
    } else if (run.solved() && run.status == "objective-limit") {
      // It says only that nothing is better than the limit it was given.
    } else if (run.solved()) {
      // An unbounded problem has solutions, so these two statuses contradict only an optimum.
      const bool may_be_unbounded = run.status == "unbounded" || run.status == "infeasible-or-unbounded";
      const std::optional<Witness>& witness = may_be_unbounded ? optimum_ : best_;
      if (witness) contradict(std::format("{} proved that the instance is {}", name_of(run), run.status), *witness);
    } else {
      if (optimum_ && std::isfinite(solution) && below(solution, optimum_->value)) contradict(what_was_found(run), *optimum_);
      if (best_ && std::isfinite(bound) && below(best_->value, bound)) {
        contradict(std::format("{} ended with the dual bound {}", name_of(run), run.dual_bound), *best_);
      }
    }
    return found;
  }

 private:
  double sign_;
  std::optional<Witness> optimum_;  // the reference, or what the first run proved
  std::optional<Witness> best_;     // the best solution that anyone found, the optimum among them
};

}  // namespace

std::vector<Disagreement> disagreements(const Evaluation& evaluation) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const RunRecord*>> runs_of;
  for (const RunRecord& run : evaluation.runs) {
    if (run.end == "done") runs_of[{run.group, run.instance}].push_back(&run);
  }
  std::vector<Disagreement> found;
  for (const RunRecord& first : evaluation.runs) {  // not over the map: the suite's order is the reader's
    if (!first.solution_holds) found.push_back({first.group, first.instance, std::format("{}: {}", name_of(first), first.message)});
    const auto entry = runs_of.find({first.group, first.instance});
    if (entry == runs_of.end()) continue;
    const auto runs = std::move(entry->second);
    runs_of.erase(entry);
    const auto reference = evaluation.references.find(first.group + "/" + first.instance);
    const Instance instance(runs, reference == evaluation.references.end() ? std::nullopt : std::optional(reference->second));
    for (const RunRecord* run : runs) {
      for (std::string& text : instance.contradictions(*run)) found.push_back({first.group, first.instance, std::move(text)});
    }
  }
  return found;
}

}  // namespace bough
