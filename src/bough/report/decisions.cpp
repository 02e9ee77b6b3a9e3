// SPDX-License-Identifier: Apache-2.0
#include "bough/report/decisions.hpp"

#include <algorithm>
#include <cmath>
#include <format>

#include "bough/report/chart.hpp"

namespace bough {
namespace {

using Json = nlohmann::ordered_json;

double number_at(const Json& object, const char* key) {
  const auto place = object.find(key);
  return place != object.end() && place->is_number() ? place->get<double>() : std::nan("");
}
std::string text_at(const Json& object, const char* key) {
  const auto place = object.find(key);
  return place != object.end() && place->is_string() ? place->get<std::string>() : "";
}
const Json& array_at(const Json& object, const char* key) {
  static const Json nothing = Json::array();
  const auto place = object.find(key);
  return place != object.end() && place->is_array() ? *place : nothing;
}

Cell number(double value) { return std::isfinite(value) ? Cell{std::format("{:.4g}", value), value} : Cell{"–"}; }

struct Candidate {
  std::string name;
  double value, score, rank, expert_score, expert_rank, pseudocost;
  bool chosen;
};

std::vector<Candidate> candidates_of(const Json& decision) {
  std::vector<Candidate> found;
  const double choice = number_at(decision, "choice");
  for (const Json& candidate : array_at(decision, "candidates")) {
    if (!candidate.is_object()) continue;
    found.push_back({text_at(candidate, "name"), number_at(candidate, "value"), number_at(candidate, "score"), number_at(candidate, "rank"),
                     number_at(candidate, "expert_score"), number_at(candidate, "expert_rank"), number_at(candidate, "pseudocost_score"), static_cast<double>(found.size()) == choice});
  }
  // The policy's favourites first.
  std::ranges::stable_sort(found, {}, [](const Candidate& c) { return std::isfinite(c.rank) ? c.rank : 1e9; });
  return found;
}

constexpr const char* fields[] = {"name", "value", "score", "rank", "expertScore", "expert", "pseudocost", "chosen"};

Json packed(const Candidate& c) {
  return Json::array({c.name, rounded(c.value), rounded(c.score), rounded(c.rank), rounded(c.expert_score), rounded(c.expert_rank), rounded(c.pseudocost), c.chosen});
}

Json unpacked(const Json& row) {
  Json object;
  for (std::size_t i = 0; i < std::size(fields); ++i) object[fields[i]] = row[i];
  return object;
}

/// One decision: for the overview and in words.
struct Summary {
  Json point;
  std::string words;
  Row row;
};

Summary summary_of(const Json& decision, const std::vector<Candidate>& candidates, std::size_t number_in_run) {
  const auto chosen = std::ranges::find_if(candidates, &Candidate::chosen);
  const double rank = chosen == candidates.end() ? std::nan("") : chosen->expert_rank;
  double number_of = number_at(decision, "decision");
  if (!std::isfinite(number_of)) number_of = static_cast<double>(number_in_run);
  const auto n_best = std::ranges::count_if(candidates, [](const Candidate& c) { return c.expert_rank == 1; });
  const double node = number_at(decision, "node"), depth = number_at(decision, "depth");
  std::string words = std::isfinite(node) && std::isfinite(depth) ? std::format("Node {:.0f} at depth {:.0f}, ", node, depth) : "";
  words += std::format("{} candidate{}. ", candidates.size(), candidates.size() == 1 ? "" : "s");
  words += std::format("The policy branches on {}", text_at(decision, "chosen"));
  if (rank == 1) {
    words += n_best > 1 ? std::format(", one of the {} that full strong branching likes best.", n_best) : ", as full strong branching would.";
  } else if (std::isfinite(rank)) {
    words += std::format(", which full strong branching puts at number {:.0f}.", rank);
  } else {
    const std::string why = text_at(decision, "no_expert");
    words += why.empty() ? "; the expert was not asked." : std::format("; the expert gave no scores ({}).", why);
  }
  Summary summary{{{"decision", rounded(number_of)}, {"rank", rounded(rank)}, {"agrees", rank == 1}, {"n", candidates.size()}, {"name", text_at(decision, "chosen")}}, std::move(words), {}};
  summary.row = {{number(number_of), number(number_at(decision, "node")), number(number_at(decision, "depth")), {std::to_string(candidates.size()), static_cast<double>(candidates.size())},
                  {text_at(decision, "chosen")}, number(chosen == candidates.end() ? std::nan("") : chosen->score), number(rank)}};
  return summary;
}

Json overview_spec(const Json& points) {
  Json layers = Json::parse(R"([
    {"mark": {"type": "rule", "strokeWidth": 2.5, "color": "#d55e00", "opacity": 0.3}, "encoding": {"x": {}, "y": {"field": "rank", "type": "quantitative"}, "y2": {"datum": 1}}},
    {"mark": {"type": "point", "filled": true, "opacity": 1, "cursor": "pointer"}, "encoding": {
      "x": {}, "y": {"field": "rank", "type": "quantitative"},
      "color": {"condition": {"test": "datum.agrees", "value": "#0072b2"}, "value": "#d55e00"},
      "size": {"condition": {"test": "datum.decision === selected", "value": 190}, "value": 50},
      "tooltip": [{"field": "decision", "title": "decision"}, {"field": "name", "title": "branches on"}, {"field": "rank", "title": "expert's rank"}, {"field": "n", "title": "candidates"}]}}
  ])");
  for (Json& layer : layers) {
    layer["encoding"]["x"] = Json::parse(R"({"field": "decision", "type": "quantitative", "axis": {"title": "decision", "grid": false, "tickMinStep": 1, "tickCount": 8}, "scale": {"zero": false, "nice": false, "padding": 10}})");
    layer["encoding"]["y"]["axis"] = Json::parse(R"({"title": "expert's rank of the choice", "values": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], "format": "~s"})");
    layer["encoding"]["y"]["scale"] = Json::parse(R"({"type": "log", "reverse": true, "domainMin": 1, "nice": false, "padding": 8})");
    layer["encoding"]["y"]["title"] = "expert's rank of the choice";
  }
  Json spec = spec_with(230, std::move(layers));
  spec["params"].push_back({{"name", "selected"}, {"value", 1}});
  spec["data"] = {{"name", "points"}, {"values", points}};
  return spec;
}

Json detail_spec(const Json& rows) {
  Json layers = Json::parse(R"([
    {"mark": {"type": "point", "strokeWidth": 1.5, "opacity": 1}, "encoding": {
      "x": {"field": "expert", "type": "quantitative", "axis": {"title": "expert's rank", "values": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], "format": "~s"}, "scale": {"type": "log", "nice": false, "padding": 12}},
      "y": {"field": "score", "type": "quantitative", "axis": {"title": "policy's score", "tickCount": 5}, "scale": {"zero": false, "padding": 10}},
      "stroke": {"condition": {"test": "datum.chosen", "value": "#0072b2"}, "value": "#5b6b80"},
      "fill": {"condition": {"test": "datum.chosen", "value": "#0072b2"}, "value": "#94a3b8"},
      "fillOpacity": {"condition": {"test": "datum.chosen", "value": 1}, "value": 0.25},
      "size": {"condition": {"test": "datum.chosen", "value": 150}, "value": 36},
      "tooltip": [{"field": "name", "title": "variable"}, {"field": "value", "title": "value in the LP", "format": ".4~g"}, {"field": "score", "title": "policy's score", "format": ".4~g"},
                  {"field": "rank", "title": "policy's rank"}, {"field": "expertScore", "title": "expert's score", "format": ".4~g"}, {"field": "expert", "title": "expert's rank"}]}}
  ])");
  Json spec = spec_with(230, std::move(layers));
  spec["data"] = {{"name", "candidates"}, {"values", rows}};
  return spec;
}

}  // namespace

std::optional<DecisionView> decision_view(std::span<const Evaluation> evaluations) {
  DecisionView view;
  view.decisions = {"data-decisions", "Decisions", "Rank 1 is full strong branching's best; equals share a rank.", {{"decision"}, {"node"}, {"depth"}, {"candidates"}, {"branches on"}, {"policy's score"}, {"expert's rank"}}, {}};
  view.candidates = {"candidates", "The policy's favourites", "", {{"variable"}, {"value in the LP"}, {"policy's score"}, {"expert's score"}, {"expert's rank"}}, {}};
  view.data = {{"fields", fields}, {"runs", Json::array()}};
  Json first_points, first_rows = Json::array();
  for (const Evaluation& evaluation : evaluations) {
    for (const Json& explained : evaluation.explained) {
      const Json& decisions = array_at(explained, "decisions");
      if (decisions.empty()) continue;
      const bool first = view.runs.empty();
      view.runs.push_back(std::format("{}: {} in {}, seed {}", text_at(explained, "policy"), text_at(explained, "instance"), text_at(explained, "group"), number(number_at(explained, "seed")).text));
      Section section{view.runs.back(), {}};
      Json run = {{"overview", Json::array()}, {"decisions", Json::array()}};
      for (const Json& decision : decisions) {
        if (!decision.is_object()) continue;
        const std::vector<Candidate> candidates = candidates_of(decision);
        Summary summary = summary_of(decision, candidates, run["decisions"].size() + 1);
        Json rows = Json::array();
        for (const Candidate& candidate : candidates) rows.push_back(packed(candidate));
        if (first && run["decisions"].empty()) {
          view.caption = summary.words;
          for (const Json& row : rows) first_rows.push_back(unpacked(row));
          Section favourites;
          for (const Candidate& c : candidates) {
            if (favourites.rows.size() == 8) break;
            favourites.rows.push_back({{{c.name, {}, c.chosen}, number(c.value), number(c.score), number(c.expert_score), number(c.expert_rank)}});
          }
          view.candidates.sections.push_back(std::move(favourites));
        }
        run["overview"].push_back(std::move(summary.point));
        run["decisions"].push_back({{"words", summary.words}, {"candidates", std::move(rows)}});
        section.rows.push_back(std::move(summary.row));
      }
      if (first) first_points = run["overview"];
      view.data["runs"].push_back(std::move(run));
      view.decisions.sections.push_back(std::move(section));
    }
  }
  if (view.runs.empty()) return {};
  view.overview = overview_spec(first_points);
  view.detail = detail_spec(first_rows);
  return view;
}

}  // namespace bough
