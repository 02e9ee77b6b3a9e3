// SPDX-License-Identifier: Apache-2.0
#include "bough/report/headlines.hpp"

#include <algorithm>
#include <cmath>
#include <format>

#include "bough/report/cells.hpp"
#include "bough/report/places.hpp"

namespace bough {

std::vector<Headline> headlines(std::span<const Evaluation> evaluations) {
  std::vector<Headline> found;
  for (const Place& place : places_of(evaluations)) {
    const Evaluation& evaluation = *place.evaluation;
    const std::vector<std::string> here = policies_in(evaluation, place.group->name);
    const PolicyInfo* learned = std::ranges::contains(here, "tgat") ? policy_named(evaluation, "tgat") : nullptr;
    for (const std::string& name : here) {
      const PolicyInfo* policy = policy_named(evaluation, name);
      if (learned == nullptr && policy != nullptr && !policy->network.empty()) learned = policy;
    }
    if (learned == nullptr) continue;
    std::int64_t n_fallbacks = 0;
    for (const RunRecord& run : evaluation.runs) {
      if (run.group == place.group->name && run.policy == learned->name) n_fallbacks += run.n_fallbacks();
    }
    for (const char* name : {"relpscost", "pscost"}) {
      const PolicyInfo* rule = rule_of(evaluation, name);
      if (rule == nullptr || rule == learned) continue;
      // Base over policy, asked for as such: its interval then needs no inversion.
      const auto ratio = compare(evaluation, place.group->name, rule->name, learned->name, Figure::time);
      if (!ratio || !std::isfinite(ratio->ratio)) continue;
      Headline headline{evaluation.name, place.group->name, place.title, learned->name, rule->name, *ratio, Verdict::unclear, ""};
      const bool enough = ratio->n_instances >= least_instances;
      if (is_shown(*ratio)) headline.verdict = ratio->low > 1 ? Verdict::faster : Verdict::slower;
      const std::string text = ratio_text(*ratio);
      const std::size_t bracket = std::min(text.find(" ["), text.size());
      const std::string times = text.substr(0, bracket) + " times as fast", interval = text.substr(bracket);
      switch (headline.verdict) {
        case Verdict::faster: headline.sentence = std::format("{} is {} as {}{}", learned->name, times, rule->name, interval); break;
        case Verdict::slower: headline.sentence = std::format("{} is not faster than {}: {}{}", learned->name, rule->name, times, interval); break;
        case Verdict::unclear:
          headline.sentence = std::format("no difference between {} and {} can be told: {}{}", learned->name, rule->name, times, interval);
          if (enough && (ratio->low > 1 || ratio->high < 1)) headline.sentence += std::format("; a signed-rank test does not confirm it (p = {:.2f})", ratio->p_value);
          if (!enough) headline.sentence += std::format("; {} instance{} {} too few", ratio->n_instances, ratio->n_instances == 1 ? "" : "s", ratio->n_instances == 1 ? "is" : "are");
          break;
      }
      if (n_fallbacks > 0) headline.sentence += std::format("; it left {} node{} to SCIP's own rules", n_fallbacks, n_fallbacks == 1 ? "" : "s");
      found.push_back(std::move(headline));
    }
  }
  return found;
}

}  // namespace bough
