// SPDX-License-Identifier: Apache-2.0
//
// The figures over all runs, each as Vega-Lite and as a table.
#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <map>
#include <optional>
#include <tuple>

#include "bough/evaluate/metrics.hpp"
#include "bough/report/chart.hpp"

namespace bough {
namespace {

using Json = nlohmann::ordered_json;

Cell number(double value, const char* unit = "") {
  if (!std::isfinite(value)) return {"–"};
  return {std::format("{:.4g}{}", value, unit), value};
}
Cell count(std::int64_t value) { return {std::to_string(value), static_cast<double>(value)}; }
Cell word(const std::string& text) { return {text}; }

std::vector<const RunRecord*> runs_of(const Part& part, const std::string& policy) {
  std::vector<const RunRecord*> runs;
  for (const RunRecord& run : part.evaluation->runs) {
    if (run.group == part.group && run.policy == policy) runs.push_back(&run);
  }
  return runs;
}

/// Those of the cast with a run in the part.
std::vector<std::string> policies_of(const Part& part, const Cast& cast) {
  std::vector<std::string> policies;
  for (const std::string& policy : cast.policies) {
    if (!runs_of(part, policy).empty()) policies.push_back(policy);
  }
  return policies;
}

Json axis(const char* title, const std::vector<double>& ticks, const char* format = "~g") {
  Json values = Json::array();
  for (const double tick : ticks) values.push_back(rounded(tick));
  return {{"title", title}, {"values", values}, {"format", format}};
}

Json log_field(const char* field, double low, double high, const char* title, const char* format = "~g") {
  return {{"field", field}, {"type", "quantitative"}, {"axis", axis(title, log_ticks(low, high), format)},
          {"scale", {{"type", "log"}, {"domain", {rounded(low), rounded(high)}}, {"nice", false}}}};
}

Json policy_rows(const std::vector<std::string>& policies) {
  return {{"field", "policy"}, {"type", "nominal"}, {"axis", {{"title", nullptr}, {"grid", false}}}, {"scale", {{"domain", policies}}}};
}

constexpr std::array<std::pair<Figure, const char*>, 2> ratio_figures{{{Figure::time, "time"}, {Figure::time_after_root, "time after the root"}}};

Chart ratios(const std::vector<Part>& parts, const Cast& cast) {
  Chart chart{"ratios", "How many times as fast as " + cast.base,
              "Right of the line is faster. Filled: all of the time; hollow: the time after the root node, its branching included, the only part that a branching rule can change. The bars are 95 % intervals, paired over instances.", {}, {}, {}};
  chart.data = {"ratios", chart.title, "", {{"policy"}, {"figure"}, {"times as fast"}, {"low"}, {"high"}, {"p-value"}, {"instances"}}, {}};
  double low = 0.8, high = 1.25;
  std::vector<Json> rows_of_parts;
  for (const Part& part : parts) {
    Json rows = Json::array();
    Section section{part.title, {}};
    for (const std::string& policy : cast.policies) {
      if (policy == cast.base) continue;
      for (const auto& [figure, name] : ratio_figures) {
        const std::optional<Ratio> ratio = compare(*part.evaluation, part.group, cast.base, policy, figure);
        if (!ratio || !std::isfinite(ratio->ratio) || ratio->ratio <= 0) continue;
        // An interval may leave the figure; its ends are in the table.
        const auto within = [](double x, double otherwise) { return std::isfinite(x) ? std::clamp(x, 1.0 / 64, 64.0) : otherwise; };
        const double middle = within(ratio->ratio, 1), from = within(ratio->low, middle), to = within(ratio->high, middle);
        low = std::min(low, from / 1.05);
        high = std::max(high, to * 1.05);
        rows.push_back({{"policy", policy}, {"figure", name}, {"ratio", rounded(middle)}, {"low", rounded(from)}, {"high", rounded(to)},
                        {"text", std::format("{:.2f} [{:.2f}, {:.2f}]", ratio->ratio, ratio->low, ratio->high)}, {"p", std::format("{:.2g}", ratio->p_value)}, {"n", ratio->n_instances}});
        section.rows.push_back({{word(policy), word(name), number(ratio->ratio), number(ratio->low), number(ratio->high), number(ratio->p_value), count(static_cast<std::int64_t>(ratio->n_instances))}});
      }
    }
    rows_of_parts.push_back(rows);
    if (!section.rows.empty()) chart.data.sections.push_back(section);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (rows_of_parts[i].empty()) continue;
    std::vector<std::string> shown;
    for (const Json& row : rows_of_parts[i]) {
      if (shown.empty() || shown.back() != row["policy"].get<std::string>()) shown.push_back(row["policy"].get<std::string>());
    }
    Json layers = Json::parse(R"([
      {"data": {"values": [{"one": 1}]}, "mark": {"type": "rule", "color": "#9ca3af", "strokeWidth": 1.5}, "encoding": {"x": {"field": "one", "type": "quantitative"}}},
      {"mark": {"type": "rule", "strokeWidth": 2.5}, "encoding": {"x2": {"field": "high"}}},
      {"mark": {"type": "point", "size": 70, "strokeWidth": 2, "opacity": 1}, "encoding": {
        "tooltip": [{"field": "policy", "title": "policy"}, {"field": "figure", "title": "figure"}, {"field": "text", "title": "times as fast [95 %]"}, {"field": "p", "title": "p-value"}, {"field": "n", "title": "instances"}]}}
    ])");
    const Json offset = {{"field", "figure"}, {"type", "nominal"}, {"scale", {{"domain", {ratio_figures[0].second, ratio_figures[1].second}}, {"paddingOuter", 0.6}}}};
    for (const std::size_t layer : {1, 2}) {
      Json& encoding = layers[layer]["encoding"];
      encoding["x"] = log_field(layer == 1 ? "low" : "ratio", low, high, "times as fast");
      encoding["y"] = policy_rows(shown);
      encoding["yOffset"] = offset;
      encoding["color"] = policy_colours(cast);
      encoding["opacity"] = faded_by("policy");
    }
    layers[2]["encoding"]["fill"] = {{"condition", {{"test", "datum.figure === 'time'"}, {"field", "policy"}, {"type", "nominal"}, {"scale", policy_colours(cast)["scale"]}}}, {"value", "transparent"}};
    Json spec = spec_with(60 + 38.0 * static_cast<double>(shown.size()), std::move(layers));
    spec["data"] = {{"values", rows_of_parts[i]}};
    chart.panels.push_back({parts[i].title, std::move(spec)});
  }
  return chart;
}

/// Curves of all policies over an axis: one row of the table for a value on it, one column for a policy.
Chart curves(Chart chart, const std::vector<Part>& parts, const Cast& cast, const char* axis_heading, auto&& panel_of) {
  chart.keys = policy_keys(cast);
  chart.data = {chart.id, chart.title, "", {{axis_heading}}, {}};
  for (const std::string& policy : cast.policies) chart.data.columns.push_back({policy});
  for (const Part& part : parts) {
    const auto policies = policies_of(part, cast);
    const auto& [xs, values, x, y, floor] = panel_of(part, policies);
    Json rows = Json::array();
    Section section{part.title, {}};
    for (std::size_t i = 0; i < xs.size(); ++i) section.rows.push_back({{number(xs[i])}});
    for (const std::string& policy : cast.policies) {
      const auto place = std::ranges::find(policies, policy);
      const std::vector<double>* const curve = place == policies.end() ? nullptr : &values[static_cast<std::size_t>(place - policies.begin())];
      for (std::size_t i = 0; i < xs.size(); ++i) {
        section.rows[i].cells.push_back(curve ? number((*curve)[i]) : Cell{});
        if (!curve || !std::isfinite((*curve)[i])) continue;
        if (i > 0 && (*curve)[i - 1] <= floor) continue;  // a line ends where it meets the floor, and hides no other's end
        rows.push_back({{"policy", policy}, {"x", rounded(xs[i])}, {"y", rounded(std::max((*curve)[i], floor))}});
      }
    }
    if (rows.empty()) continue;
    chart.data.sections.push_back(std::move(section));
    Json dashes = Json::array();
    for (const Cast::Look& look : cast.looks) dashes.push_back(look.dashes.empty() ? std::vector<int>{1, 0} : look.dashes);
    // Wide invisible points under the pointer carry the tool tip: a thin line is hard to hit.
    Json layers = Json::parse(R"([{"mark": {"type": "line", "interpolate": "step-after"}}, {"mark": {"type": "point", "filled": true, "size": 120, "opacity": 0}}])");
    for (Json& layer : layers) layer["encoding"] = {{"x", x}, {"y", y}, {"color", policy_colours(cast)}};
    layers[0]["encoding"]["opacity"] = faded_by("policy");
    layers[0]["encoding"]["strokeDash"] = {{"field", "policy"}, {"type", "nominal"}, {"scale", {{"domain", cast.policies}, {"range", dashes}}}};
    layers[1]["encoding"]["tooltip"] = {{{"field", "policy"}, {"title", "policy"}}, {{"field", "x"}, {"title", axis_heading}, {"format", ".3~g"}}, {{"field", "y"}, {"title", chart.id == "gap" ? "gap" : "solved"}, {"format", ".3~%"}}};
    Json spec = spec_with(240, std::move(layers));
    spec["data"] = {{"values", rows}};
    chart.panels.push_back({part.title, std::move(spec)});
  }
  return chart;
}

struct Curves {
  std::vector<double> xs;
  std::vector<std::vector<double>> values;  // by policy
  Json x, y;
  double floor;  // the lowest that is drawn
};

Chart gaps(const std::vector<Part>& parts, const Cast& cast) {
  constexpr double floor = 1e-4;
  return curves({"gap", "Gap over time", "The primal-dual gap at a time, averaged over instances and seeds; a solved run counts as 0, and the axis ends at 0.01 %. Lower and further left is better.", {}, {}, {}},
                parts, cast, "seconds", [&](const Part& part, const std::vector<std::string>& policies) {
    double first = 1e9, last = 0;
    for (const RunRecord& run : part.evaluation->runs) {
      if (run.group != part.group) continue;
      if (!run.trace.empty()) first = std::min(first, run.trace.front().time_s);
      last = std::max(last, run.time_s);
    }
    last = std::max(last, 0.1);
    first = std::clamp(first, 0.01, last / 4);
    Curves found{log_spaced(first, last, 80), {}, log_field("x", first, last, "seconds"), log_field("y", floor, 1, "mean gap", "~%"), floor};
    for (const std::string& policy : policies) found.values.push_back(mean_gap(*part.evaluation, part.group, policy, found.xs));
    return found;
  });
}

Chart profiles(const std::vector<Part>& parts, const Cast& cast) {
  return curves({"profile", "Performance profiles", "The share of instances and seeds that a policy solved within a factor of the fastest policy's time. At 1: how often it was the fastest; at the right: how often it solved them at all. Higher is better.", {}, {}, {}},
                parts, cast, "factor", [&](const Part& part, const std::vector<std::string>& policies) {
    std::map<std::pair<std::string, std::uint32_t>, std::pair<double, double>> range;  // fastest and slowest that solved it
    for (const RunRecord& run : part.evaluation->runs) {
      if (run.group != part.group || !run.solved()) continue;
      const auto [place, is_new] = range.try_emplace({run.instance, run.seed}, run.time_s, run.time_s);
      place->second = {std::min(place->second.first, run.time_s), std::max(place->second.second, run.time_s)};
    }
    double last = 2;
    for (const auto& [key, times] : range) last = std::max(last, times.first > 0 ? times.second / times.first * 1.02 : 2);
    last = std::min(last, 1000.0);
    Curves found{log_spaced(1, last, 80), {}, log_field("x", 1, last, "times the fastest"), {}, -1};
    found.y = {{"field", "y"}, {"type", "quantitative"}, {"axis", {{"title", "solved"}, {"format", "%"}, {"tickCount", 5}}}, {"scale", {{"domain", {0, 1}}}}};
    for (const std::string& policy : policies) found.values.push_back(performance_profile(*part.evaluation, part.group, policy, found.xs));
    return found;
  });
}

Chart scatter(const std::vector<Part>& parts, const Cast& cast) {
  Chart chart{"scatter", "Run by run: " + cast.main + " against " + cast.base,
              "One point for an instance and seed. Below the diagonal " + cast.main + " is faster; hollow: at least one of the two met a limit and counts as that.", {}, {}, {}};
  chart.data = {"scatter", chart.title, "Seconds; a run that is not solved counts as the limit.", {{"instance"}, {"seed"}, {cast.base}, {cast.main}, {"ratio"}, {"both solved"}}, {}};
  for (const Part& part : parts) {
    const Evaluation& evaluation = *part.evaluation;
    std::map<std::pair<std::string, std::uint32_t>, const RunRecord*> base;
    for (const RunRecord* run : runs_of(part, cast.base)) base[{run->instance, run->seed}] = run;
    Json rows = Json::array();
    Section section{part.title, {}};
    double low = 1e9, high = 0;
    for (const RunRecord* run : runs_of(part, cast.main)) {
      const auto place = base.find({run->instance, run->seed});
      if (place == base.end()) continue;
      const double x = std::max(counted_time_s(evaluation, *place->second), 0.01), y = std::max(counted_time_s(evaluation, *run), 0.01);
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      const bool both = run->solved() && place->second->solved();
      low = std::min({low, x, y});
      high = std::max({high, x, y});
      rows.push_back({{"instance", run->instance}, {"seed", run->seed}, {"x", rounded(x)}, {"y", rounded(y)}, {"ratio", rounded(y / x)}, {"solved", both}, {"policy", cast.main}});
      section.rows.push_back({{word(run->instance), count(run->seed), number(x), number(y), number(y / x), word(both ? "yes" : "no")}});
    }
    if (rows.empty()) continue;
    low /= 1.15;
    high *= 1.15;
    const std::string base_title = cast.base + ", seconds", main_title = cast.main + ", seconds";
    Json layers = Json::parse(R"([
      {"mark": {"type": "line", "color": "#9ca3af", "strokeWidth": 1.5}},
      {"mark": {"type": "point", "size": 55, "strokeWidth": 1.5}, "encoding": {
        "fillOpacity": {"condition": {"test": "datum.solved", "value": 0.55}, "value": 0}}}
    ])");
    layers[0]["data"]["values"] = {{{"x", rounded(low)}, {"y", rounded(low)}}, {{"x", rounded(high)}, {"y", rounded(high)}}};
    layers[1]["mark"]["fill"] = layers[1]["mark"]["stroke"] = cast.look_of(cast.main).colour;
    // The titles stand in the page: a name is no part of an expression, and tool tips' titles are.
    layers[1]["encoding"]["tooltip"] = Json::parse(R"([{"field": "instance", "title": "instance"}, {"field": "seed", "title": "seed"},
      {"field": "x", "title": "base, s", "format": ".4~g"}, {"field": "y", "title": "policy, s", "format": ".4~g"}, {"field": "ratio", "title": "ratio", "format": ".3~g"}])");
    for (Json& layer : layers) {
      layer["encoding"]["x"] = log_field("x", low, high, base_title.c_str());
      layer["encoding"]["y"] = log_field("y", low, high, main_title.c_str());
    }
    Json spec = spec_with(330, std::move(layers));
    spec["data"] = {{"values", rows}};
    chart.panels.push_back({part.title, std::move(spec)});
    chart.data.sections.push_back(std::move(section));
  }
  return chart;
}

Chart accuracies(std::span<const Evaluation> evaluations, const Cast& cast) {
  Chart chart{"accuracy", "Imitating the expert", "How often the policy's first choice is one of full strong branching's best, on states that it was not trained on (bars); the tick is how often one of its first five is.", {}, {}, {}};
  chart.data = {"accuracy", chart.title, "", {{"policy"}}, {}};
  std::vector<int> ks;
  for (const Evaluation& evaluation : evaluations) {
    for (const PolicyInfo& policy : evaluation.policies) {
      for (const auto& [k, share] : policy.accuracy) ks.push_back(k);
    }
  }
  std::ranges::sort(ks);
  ks.erase(std::ranges::unique(ks).begin(), ks.end());
  for (const int k : ks) chart.data.columns.push_back({std::format("top-{}", k)});
  for (const Evaluation& evaluation : evaluations) {
    Json rows = Json::array();
    std::vector<std::string> shown;
    Section section{evaluation.name, {}};
    for (const PolicyInfo& policy : evaluation.policies) {
      if (policy.accuracy.empty()) continue;
      const auto at = [&](int k) { return policy.accuracy.contains(k) ? policy.accuracy.at(k) : std::nan(""); };
      Row row{{word(policy.name)}};
      for (const int k : ks) row.cells.push_back(number(at(k)));
      section.rows.push_back(std::move(row));
      shown.push_back(policy.name);
      rows.push_back({{"policy", policy.name}, {"first", rounded(at(1))}, {"five", rounded(at(5))}, {"text", std::isfinite(at(1)) ? std::format("{:.1f} %", 100 * at(1)) : ""}});
    }
    if (rows.empty()) continue;
    Json layers = Json::parse(R"([
      {"mark": {"type": "bar", "height": {"band": 0.62}}, "encoding": {"x": {"field": "first"}}},
      {"mark": {"type": "tick", "thickness": 3, "size": 18, "opacity": 1}, "encoding": {"x": {"field": "five"}}},
      {"mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 11, "color": "#5b6b80"}, "encoding": {"x": {"field": "first"}, "text": {"field": "text"}}}
    ])");
    for (std::size_t i = 0; i < layers.size(); ++i) {
      Json& encoding = layers[i]["encoding"];
      encoding["x"]["type"] = "quantitative";
      encoding["x"]["axis"] = {{"title", "correct"}, {"format", "%"}, {"tickCount", 5}};
      encoding["x"]["scale"] = {{"domain", {0, 1}}};
      encoding["y"] = policy_rows(shown);
      if (i == 2) continue;
      encoding["color"] = policy_colours(cast);
      encoding["tooltip"] = Json::parse(R"([{"field": "policy", "title": "policy"}, {"field": "first", "title": "top-1", "format": ".1%"}, {"field": "five", "title": "top-5", "format": ".1%"}])");
    }
    Json spec = spec_with(55 + 34.0 * static_cast<double>(shown.size()), std::move(layers));
    spec["data"] = {{"values", rows}};
    chart.panels.push_back({evaluations.size() > 1 ? evaluation.name : "", std::move(spec)});
    chart.data.sections.push_back(std::move(section));
  }
  return chart;
}

constexpr std::array<std::pair<const char*, const char*>, 5> shares{
    {{"node LPs", "#94a3b8"}, {"the policy's decisions", "#0072b2"}, {"strong branching, other branching", "#d55e00"}, {"heuristics", "#009e73"}, {"all else", "#cbd5e1"}}};

Chart splits(const std::vector<Part>& parts, const Cast& cast) {
  Chart chart{"split", "Where the time goes", "Mean seconds of a run, as SCIP's clocks split them. All else is presolving, cuts and propagation; and heuristics, where records do not have their time.", {}, {}, {}};
  for (const auto& [name, colour] : shares) chart.keys.push_back({name, {colour, {}}});
  chart.data = {"split", chart.title, "Mean seconds of a run.", {{"policy"}}, {}};
  Json names = Json::array(), colours = Json::array();
  for (const auto& [name, colour] : shares) {
    names.push_back(name);
    colours.push_back(colour);
    chart.data.columns.push_back({name});
  }
  for (const Part& part : parts) {
    const auto policies = policies_of(part, cast);
    Json rows = Json::array();
    Section section{part.title, {}};
    for (const std::string& policy : policies) {
      std::array<double, shares.size()> sums{};
      std::size_t n_runs = 0;
      for (const RunRecord* run : runs_of(part, policy)) {
        if (run->end != "done") continue;  // no clocks
        const double other = std::max(0.0, run->branching_time_s - run->policy_time_s);
        sums[0] += run->lp_time_s;
        sums[1] += run->policy_time_s;
        sums[2] += other;
        sums[3] += run->heuristics_time_s;
        sums[4] += std::max(0.0, run->time_s - run->lp_time_s - run->policy_time_s - other - run->heuristics_time_s);
        ++n_runs;
      }
      if (n_runs == 0) continue;
      Row row{{word(policy)}};
      double total = 0;
      for (const double sum : sums) total += sum;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        row.cells.push_back(number(sums[i] / static_cast<double>(n_runs)));
        rows.push_back({{"policy", policy}, {"part", shares[i].first}, {"order", i}, {"seconds", rounded(sums[i] / static_cast<double>(n_runs))}, {"share", rounded(total > 0 ? sums[i] / total : 0)}});
      }
      section.rows.push_back(std::move(row));
    }
    if (rows.empty()) continue;
    Json layers = Json::parse(R"([{"mark": {"type": "bar", "height": {"band": 0.62}}, "encoding": {
      "x": {"field": "seconds", "type": "quantitative", "stack": "zero", "axis": {"title": "mean seconds", "tickCount": 6}}, "order": {"field": "order"},
      "tooltip": [{"field": "policy", "title": "policy"}, {"field": "part", "title": "part"}, {"field": "seconds", "title": "seconds", "format": ".3~g"}, {"field": "share", "title": "share", "format": ".1%"}]}}])");
    layers[0]["encoding"]["y"] = policy_rows(policies);
    layers[0]["encoding"]["color"] = {{"field", "part"}, {"type", "nominal"}, {"scale", {{"domain", names}, {"range", colours}}}};
    layers[0]["encoding"]["opacity"] = faded_by("part");
    Json spec = spec_with(55 + 34.0 * static_cast<double>(policies.size()), std::move(layers));
    spec["data"] = {{"values", rows}};
    chart.panels.push_back({part.title, std::move(spec)});
    chart.data.sections.push_back(std::move(section));
  }
  return chart;
}

Chart tree_sizes(const std::vector<Part>& parts, const Cast& cast) {
  Chart chart{"nodes", "Tree sizes", "Nodes of every run; hollow: the run met a limit. The bar is the median. Rules that use strong branching look at more nodes than they count.", policy_keys(cast), {}, {}};
  chart.data = {"nodes", chart.title, "", {{"policy"}, {"instance"}, {"seed"}, {"nodes"}, {"solved"}}, {}};
  for (const Part& part : parts) {
    const auto policies = policies_of(part, cast);
    Json rows = Json::array(), medians = Json::array();
    Section section{part.title, {}};
    double low = 1e9, high = 1;
    for (const std::string& policy : policies) {
      std::vector<double> sizes;
      for (const RunRecord* run : runs_of(part, policy)) {
        if (run->end != "done") continue;
        const double n_nodes = std::max(1.0, static_cast<double>(run->n_nodes));
        // Points of equal size would hide each other: spread them by the golden ratio, the same in every drawing.
        const double spread = std::fmod(0.618034 * static_cast<double>(sizes.size()), 1.0);
        sizes.push_back(n_nodes);
        low = std::min(low, n_nodes);
        high = std::max(high, n_nodes);
        rows.push_back({{"policy", policy}, {"instance", run->instance}, {"seed", run->seed}, {"nodes", n_nodes}, {"spread", rounded(spread)}, {"solved", run->solved()}, {"status", run->status}});
        section.rows.push_back({{word(policy), word(run->instance), count(run->seed), count(run->n_nodes), word(run->solved() ? "yes" : "no")}});
      }
      if (sizes.empty()) continue;
      std::ranges::sort(sizes);
      medians.push_back({{"policy", policy}, {"nodes", rounded((sizes[(sizes.size() - 1) / 2] + sizes[sizes.size() / 2]) / 2)}});
    }
    if (rows.empty()) continue;
    Json layers = Json::parse(R"([
      {"mark": {"type": "point", "size": 34, "strokeWidth": 1.3}, "encoding": {
        "yOffset": {"field": "spread", "type": "quantitative", "scale": {"domain": [-0.6, 1.6]}},
        "fillOpacity": {"condition": {"test": "datum.solved", "value": 0.5}, "value": 0},
        "tooltip": [{"field": "policy", "title": "policy"}, {"field": "instance", "title": "instance"}, {"field": "seed", "title": "seed"}, {"field": "nodes", "title": "nodes", "format": ","}, {"field": "status", "title": "status"}]}},
      {"mark": {"type": "tick", "thickness": 3, "size": 26, "opacity": 1}, "encoding": {"tooltip": [{"field": "policy", "title": "policy"}, {"field": "nodes", "title": "median nodes", "format": ","}]}}
    ])");
    layers[1]["data"]["values"] = medians;
    for (Json& layer : layers) {
      layer["encoding"]["x"] = log_field("nodes", std::max(1.0, low / 1.3), std::max(10.0, high * 1.15), "nodes", "~s");
      layer["encoding"]["y"] = policy_rows(policies);
      layer["encoding"]["color"] = policy_colours(cast);
      layer["encoding"]["opacity"] = faded_by("policy");
    }
    layers[0]["encoding"]["fill"] = policy_colours(cast);
    Json spec = spec_with(55 + 40.0 * static_cast<double>(policies.size()), std::move(layers));
    spec["data"] = {{"values", rows}};
    chart.panels.push_back({part.title, std::move(spec)});
    chart.data.sections.push_back(std::move(section));
  }
  return chart;
}

Chart steadiness(std::span<const Evaluation> evaluations) {
  Chart chart{"calibration", "How steady the machine was", std::format("The same solve, repeated while the suite ran: a flat line is a steady machine. Times count as too noisy when the 90th percentile is over {:.2f} times the 10th.", noise_limit), {}, {}, {}};
  chart.data = {"calibration", chart.title, "", {{"number"}, {"seconds"}, {"load"}}, {}};
  for (const Evaluation& evaluation : evaluations) {
    if (evaluation.calibrations.empty()) continue;
    Json rows = Json::array();
    Section section{evaluation.name, {}};
    for (std::size_t i = 0; i < evaluation.calibrations.size(); ++i) {
      const Calibration& calibration = evaluation.calibrations[i];
      rows.push_back({{"number", i + 1}, {"seconds", rounded(calibration.time_s)}, {"load", rounded(calibration.load)}});
      section.rows.push_back({{count(static_cast<std::int64_t>(i) + 1), number(calibration.time_s), number(calibration.load)}});
    }
    Json layers = Json::parse(R"([
      {"mark": {"type": "line", "color": "#94a3b8", "strokeWidth": 1.5}},
      {"mark": {"type": "point", "filled": true, "size": 40, "color": "#5b6b80", "opacity": 1}, "encoding": {"tooltip": [{"field": "number", "title": "number"}, {"field": "seconds", "title": "seconds", "format": ".3~g"}, {"field": "load", "title": "load", "format": ".2~f"}]}}
    ])");
    for (Json& layer : layers) {
      layer["encoding"]["x"] = Json::parse(R"({"field": "number", "type": "quantitative", "axis": {"title": "calibration, in the order of time", "tickMinStep": 1, "tickCount": 6, "grid": false}, "scale": {"zero": false, "nice": false, "padding": 8}})");
      layer["encoding"]["y"] = Json::parse(R"({"field": "seconds", "type": "quantitative", "axis": {"title": "seconds", "tickCount": 4}, "scale": {"zero": true}})");
    }
    Json spec = spec_with(190, std::move(layers));
    spec["data"] = {{"values", rows}};
    chart.panels.push_back({evaluations.size() > 1 ? evaluation.name : "", std::move(spec)});
    chart.data.sections.push_back(std::move(section));
  }
  return chart;
}

}  // namespace

std::vector<Chart> charts(std::span<const Evaluation> evaluations) {
  const Cast cast = cast_of(evaluations);
  const std::vector<Part> parts = parts_of(evaluations);
  std::vector<Chart> found;
  const auto add = [&](Chart chart) {
    if (!chart.panels.empty()) found.push_back(std::move(chart));
  };
  if (!cast.main.empty()) add(ratios(parts, cast));
  add(gaps(parts, cast));
  add(profiles(parts, cast));
  if (!cast.main.empty()) add(scatter(parts, cast));
  add(accuracies(evaluations, cast));
  add(splits(parts, cast));
  add(tree_sizes(parts, cast));
  add(steadiness(evaluations));
  return found;
}

}  // namespace bough
