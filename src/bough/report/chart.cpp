// SPDX-License-Identifier: Apache-2.0
#include "bough/report/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <format>

#include "bough/report/places.hpp"

namespace bough {

using Json = nlohmann::ordered_json;

namespace {

// At least 3:1 against the background of its scheme; the first seven are distinct for the common kinds of colour blindness, by lightness too, and all
// twelve of the paper's systems have one of their own.
constexpr std::array<std::pair<const char*, const char*>, 17> schemes{{
    {"#0072b2", "#58b3f5"},  // the main policy
    {"#374151", "#cbd5e1"},  // the base
    {"#d55e00", "#ff8f52"},
    {"#009e73", "#34d3a0"},
    {"#a8559b", "#e394d6"},
    {"#b87d00", "#f0b93a"},
    {"#8c564b", "#cf9f8c"},
    {"#c2185b", "#ff86b0"},
    {"#4d7c0f", "#a6d860"},
    {"#5b3fbe", "#ada0ff"},
    {"#0e7f8f", "#63d2df"},
    {"#7f1d1d", "#f0958c"},
    {"#94a3b8", "#64748b"},  // parts of a whole, and what is not the point: neutral
    {"#cbd5e1", "#3b4554"},
    {"#5b6b80", "#9aa9bd"},
    {"#e5e7eb", "#2a313b"},  // grid
    {"#9ca3af", "#6b7480"},  // reference lines
}};
constexpr std::size_t n_other_colours = 10;

}  // namespace

std::span<const std::pair<const char*, const char*>> colour_schemes() { return schemes; }

const Cast::Look& Cast::look_of(const std::string& policy) const {
  static const Look unknown{schemes[9].first, {}};
  const auto place = std::ranges::find(policies, policy);
  return place == policies.end() ? unknown : looks[static_cast<std::size_t>(place - policies.begin())];
}

Cast cast_of(std::span<const Evaluation> evaluations) {
  Cast cast;
  std::vector<const PolicyInfo*> known;
  for (const Evaluation& evaluation : evaluations) {
    for (const PolicyInfo& policy : evaluation.policies) {
      if (std::ranges::contains(cast.policies, policy.name)) continue;
      cast.policies.push_back(policy.name);
      known.push_back(&policy);
    }
  }
  const auto first = [&](auto&& wanted) -> std::string {
    const auto place = std::ranges::find_if(known, wanted);
    return place == known.end() ? "" : (*place)->name;
  };
  cast.base = first([](const PolicyInfo* p) { return (p->source == "relpscost" && p->scip_parameters.empty()) || p->name == "relpscost"; });
  if (cast.base.empty()) cast.base = first([](const PolicyInfo* p) { return p->network.empty(); });
  if (cast.base.empty() && !known.empty()) cast.base = known.front()->name;
  cast.main = first([&](const PolicyInfo* p) { return (p->network == "tgat" || p->name == "tgat") && p->name != cast.base; });
  if (cast.main.empty()) cast.main = first([&](const PolicyInfo* p) { return !p->network.empty() && p->name != cast.base; });
  if (cast.main.empty()) cast.main = first([&](const PolicyInfo* p) { return p->name != cast.base; });

  static const std::array<std::vector<int>, 3> dashes{{{}, {6, 3}, {2, 2}}};
  std::size_t n_others = 0;
  for (const std::string& policy : cast.policies) {
    if (policy == cast.main) {
      cast.looks.push_back({schemes[0].first, {}});
    } else if (policy == cast.base) {
      cast.looks.push_back({schemes[1].first, {}});
    } else {
      cast.looks.push_back({schemes[2 + n_others % n_other_colours].first, dashes[n_others / n_other_colours % dashes.size()]});
      ++n_others;
    }
  }
  return cast;
}

std::vector<Part> parts_of(std::span<const Evaluation> evaluations) {
  std::vector<Part> parts;
  for (const Place& place : places_of(evaluations)) {
    if (std::ranges::contains(place.evaluation->runs, place.group->name, &RunRecord::group)) parts.push_back({place.evaluation, place.group->name, place.title});
  }
  return parts;
}

Json spec_with(double height, Json layers) {
  Json spec = Json::parse(R"({
    "width": 360, "autosize": {"type": "fit", "contains": "padding"}, "padding": {"left": 1, "right": 8, "top": 6, "bottom": 1}, "background": null,
    "params": [{"name": "hidden", "value": []}],
    "config": {
      "aria": false, "font": "system-ui, sans-serif", "view": {"stroke": null}, "legend": {"disable": true},
      "axis": {"labelFontSize": 11.5, "titleFontSize": 11.5, "labelFlush": false, "titleFontWeight": "normal", "labelColor": "#5b6b80", "titleColor": "#5b6b80", "gridColor": "#e5e7eb",
               "domain": false, "ticks": false, "labelPadding": 6, "titlePadding": 8, "labelLimit": 120},
      "line": {"strokeWidth": 2, "strokeJoin": "round", "strokeCap": "round"}
    }
  })");
  spec["height"] = height;
  spec["layer"] = std::move(layers);
  return spec;
}

Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(std::format("{:.5g}", value));
}

std::vector<double> log_ticks(double low, double high) {
  const double n_decades = std::log10(high / low);
  static const std::array<std::vector<double>, 4> digits{{{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}}};
  const auto& wanted = digits[n_decades > 3.2 ? 0 : n_decades > 1.7 ? 1 : n_decades > 0.9 ? 2 : 3];
  const double every = std::max(1.0, std::ceil(n_decades / 6));
  std::vector<double> ticks;
  for (double power = every * std::floor(std::log10(low) / every); power <= std::log10(high) + 1e-9; power += every) {
    for (const double digit : wanted) {
      const double tick = digit * std::pow(10, power);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  if (ticks.size() > 2) return ticks;
  ticks.clear();
  for (const double value : log_spaced(low, high, 4)) ticks.push_back(std::stod(std::format("{:.2g}", value)));  // hardly a range
  return ticks;
}

std::vector<double> log_spaced(double low, double high, int n) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(low * std::pow(high / low, i / (n - 1.0)));
  return values;
}

Json policy_colours(const Cast& cast) {
  Json colours = Json::array();
  for (const Cast::Look& look : cast.looks) colours.push_back(look.colour);
  return {{"field", "policy"}, {"type", "nominal"}, {"scale", {{"domain", cast.policies}, {"range", colours}}}};
}

std::vector<Key> policy_keys(const Cast& cast) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < cast.policies.size(); ++i) keys.push_back({cast.policies[i], cast.looks[i]});
  return keys;
}

Json faded_by(const std::string& field) {
  return {{"condition", {{"test", "indexof(hidden, datum." + field + ") < 0"}, {"value", 1}}}, {"value", 0.06}};
}

}  // namespace bough
