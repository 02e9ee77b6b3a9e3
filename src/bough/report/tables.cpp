// SPDX-License-Identifier: Apache-2.0
#include "bough/report/tables.hpp"

#include <algorithm>
#include <array>
#include <format>
#include <map>
#include <utility>

#include "bough/report/cells.hpp"
#include "bough/report/paper.hpp"
#include "bough/report/places.hpp"

namespace bough {
namespace {

std::string with_fallbacks(const std::string& policy, std::int64_t n_fallbacks) {
  return n_fallbacks == 0 ? policy : std::format("{} ({} fallback{})", policy, n_fallbacks, n_fallbacks == 1 ? "" : "s");
}

}  // namespace

Table main_table(std::span<const Evaluation> evaluations) {
  const std::vector<Place> places = places_of(evaluations);
  const std::vector<std::string> sizes = sizes_of(places);
  Table table{.id = "table-main", .title = "Time, wins and nodes", .note = "± is the standard deviation over seeds; the best is in bold." + note_of(places), .columns = {{"policy"}}, .sections = {}};
  for (const std::string& size : sizes) {
    table.columns.push_back({"time", size_title(size), "seconds, 1-shifted geometric mean, unsolved runs at the limit"});
    table.columns.push_back({"wins", size_title(size), "runs that the policy solved faster than every other, of all"});
    table.columns.push_back({"nodes", size_title(size), "1-shifted geometric mean over the runs solved by every policy that solved any"});
  }
  for (const FamilyPlaces& family : families_of(places)) {
    Section section{.heading = family.title, .rows = {}};
    std::map<std::string, std::vector<PolicySummary>> summaries;
    for (const Place& place : family.places) summaries[place.group->size] = summarise(*place.evaluation, place.group->name);
    for (const std::string& policy : policies_of(family)) {
      Row row{{{policy}}};
      std::int64_t n_fallbacks = 0;
      for (const std::string& size : sizes) {
        const std::vector<PolicySummary>& here = summaries[size];
        const auto found = std::ranges::find(here, policy, &PolicySummary::policy);
        if (found == here.end() || found->n_runs == 0) {
          row.cells.insert(row.cells.end(), 3, Cell{});
          continue;
        }
        n_fallbacks += found->n_fallbacks;
        Cell time = estimate_cell(found->time_s, decimals_of_seconds);
        if (found->n_solved < found->n_runs) time.text += std::format(" ({} unsolved)", found->n_runs - found->n_solved);
        row.cells.push_back(std::move(time));
        row.cells.push_back({std::format("{}/{}", found->n_wins, found->n_runs), static_cast<double>(found->n_wins), false, {{"of", static_cast<double>(found->n_runs)}}});
        row.cells.push_back(estimate_cell(found->nodes, decimals_of_count));
      }
      row.cells[0].text = with_fallbacks(policy, n_fallbacks);
      section.rows.push_back(std::move(row));
    }
    for (std::size_t i = 1; i < table.columns.size(); ++i) mark_best(section, i, table.columns[i].heading != "wins");
    table.sections.push_back(std::move(section));
  }
  return table;
}

Table detail_table(std::span<const Evaluation> evaluations) {
  const std::vector<Place> places = places_of(evaluations);
  Table table{.id = "table-detail", .title = "Every policy in detail", .note = "± is the standard deviation over seeds." + note_of(places), .columns = {}, .sections = {}};
  table.columns = {{"policy"},
                   {"solved", "", "runs with a proof within the limit, of all"},
                   {"time", "", "seconds, 1-shifted geometric mean, unsolved runs at the limit"},
                   {"after root", "", "the same without the root node but for its branching: what a policy can change"},
                   {"nodes", "", "1-shifted geometric mean over the runs solved by every policy that solved any"},
                   {"fair nodes", "", "the same, with what strong branching saved counted as nodes"},
                   {"LP iterations", "", "1-shifted geometric mean over the same runs"},
                   {"policy %", "", "time of observing, inferring and deciding, in percent of the whole"},
                   {"decisions", "", "of all runs"},
                   {"ms/decision", "", "milliseconds of observing, inferring and deciding"},
                   {"fallbacks", "", "nodes that were left to SCIP's own rules"}};
  for (const Place& place : places) {
    Section section{.heading = place.title, .rows = {}};
    for (const PolicySummary& summary : summarise(*place.evaluation, place.group->name)) {
      // Rules of SCIP decide inside it, where nobody counts.
      const bool decides = summary.n_decisions > 0;
      section.rows.push_back({{{summary.policy},
                               {std::format("{}/{}", summary.n_solved, summary.n_runs), static_cast<double>(summary.n_solved), false, {{"of", static_cast<double>(summary.n_runs)}}},
                               estimate_cell(summary.time_s, decimals_of_seconds),
                               estimate_cell(summary.time_after_root_s, decimals_of_seconds),
                               estimate_cell(summary.nodes, decimals_of_count),
                               estimate_cell(summary.fair_nodes, decimals_of_count),
                               estimate_cell(summary.lp_iterations, decimals_of_count),
                               decides ? number_cell(100 * summary.policy_share, 1) : Cell{},
                               decides ? count_cell(summary.n_decisions) : Cell{},
                               decides ? number_cell(1000 * summary.policy_time_s / static_cast<double>(summary.n_decisions), 2) : Cell{},
                               decides || summary.n_fallbacks > 0 ? count_cell(summary.n_fallbacks) : Cell{}}});
    }
    table.sections.push_back(std::move(section));
  }
  return table;
}

Table ratio_table(std::span<const Evaluation> evaluations, const std::string& base) {
  const std::vector<Place> places = places_of(evaluations);
  constexpr std::array figures{std::pair{"time", Figure::time}, std::pair{"time after root", Figure::time_after_root}, std::pair{"nodes", Figure::nodes}};
  Table table{.id = "table-ratio", .title = "Ratios of means", .note = "", .columns = {{"policy"}}, .sections = {}};
  table.note = "Above 1 the base is better. In brackets: 95 % interval of a paired bootstrap over instances; p: two-sided signed-rank test over instances." + note_of(places);
  for (const auto& [name, figure] : figures) {
    table.columns.push_back({"over the base's", name, "the mean of the policy over that of the base, over the same runs"});
    table.columns.push_back({"p", name, "how likely a difference like this would be if there were none"});
  }
  for (const Place& place : places) {
    const Evaluation& evaluation = *place.evaluation;
    const std::vector<std::string> policies = policies_in(evaluation, place.group->name);
    if (policies.size() < 2) continue;
    const std::string own_base = std::ranges::contains(policies, base) ? base : policies.back();
    Section section{.heading = std::format("{}: over {}", place.title, own_base), .rows = {}};
    for (const std::string& policy : policies) {
      Row row{{{policy}}};
      for (const auto& [name, figure] : figures) {
        const bool itself = policy == own_base;
        const std::optional<Ratio> ratio = itself ? std::nullopt : compare(evaluation, place.group->name, policy, own_base, figure);
        row.cells.push_back(itself ? Cell{"1", 1} : ratio_cell(ratio));
        row.cells.push_back(itself ? Cell{} : p_cell(ratio));
      }
      section.rows.push_back(std::move(row));
    }
    table.sections.push_back(std::move(section));
  }
  return table;
}

Table paper_table(std::span<const Evaluation> evaluations) {
  const auto comparable = [](const Place& place) {
    // Other parameters make other instances, but for those that the paper's have: its auctions are Gasse's.
    const bool as_published = std::ranges::all_of(place.group->parameters, [](const auto& parameter) { return parameter.first == "gasse-compat"; });
    return as_published && rule_of(*place.evaluation, "relpscost") != nullptr && paper_figures(place.group->family, place.group->size, "relpscost").has_value();
  };
  std::vector<Place> places = places_of(evaluations);
  std::erase_if(places, [&](const Place& place) { return !comparable(place); });
  const std::vector<std::string> sizes = sizes_of(places);
  Table table{.id = "table-paper", .title = "How many times as fast as relpscost: the paper and here", .note = "", .columns = {{"policy"}}, .sections = {}};
  table.note = std::format("The time of relpscost over that of the policy. Theirs, as published ({}): other instances of the same kind, another machine, another SCIP. Here: 95 % interval in brackets.", paper_citation) + note_of(places);
  for (const char* source : {"Paper (SCIP 7, V100)", "Here"}) {
    for (const std::string& size : sizes) table.columns.push_back({size, source});
  }
  for (const FamilyPlaces& family : families_of(places)) {
    Section section{.heading = family.title, .rows = {}};
    for (const std::string& name : policies_of(family)) {
      std::vector<Cell> theirs, ours;
      bool any = false;
      for (const std::string& size : sizes) {
        theirs.emplace_back();
        ours.emplace_back();
        const Place* place = family.of_size(size);
        const PolicyInfo* policy = place == nullptr ? nullptr : policy_named(*place->evaluation, name);
        if (policy == nullptr) continue;
        const PolicyInfo* rule = rule_of(*place->evaluation, "relpscost");
        if (policy == rule) continue;
        any = true;
        ours.back() = ratio_cell(compare(*place->evaluation, place->group->name, rule->name, name, Figure::time));
        const auto published = paper_figures(place->group->family, size, paper_name(*policy)), base = paper_figures(place->group->family, size, "relpscost");
        if (published && base) theirs.back() = number_cell(base->time_s / published->time_s, 2);
      }
      if (!any) continue;
      Row row{{{name}}};
      row.cells.append_range(theirs);
      row.cells.append_range(ours);
      section.rows.push_back(std::move(row));
    }
    if (!section.rows.empty()) table.sections.push_back(std::move(section));
  }
  return table;
}

std::vector<Table> report_tables(std::span<const Evaluation> evaluations) {
  std::vector<Table> tables{main_table(evaluations), ratio_table(evaluations), detail_table(evaluations), paper_table(evaluations)};
  if (auto rewards = reward_table(evaluations)) tables.push_back(std::move(*rewards));
  std::erase_if(tables, [](const Table& table) { return table.sections.empty(); });
  return tables;
}

}  // namespace bough
