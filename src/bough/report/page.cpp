// SPDX-License-Identifier: Apache-2.0
#include "bough/report/page.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <format>
#include <map>
#include <set>

#include "bough/evaluate/metrics.hpp"
#include "bough/report/assets.hpp"
#include "bough/report/chart.hpp"
#include "bough/report/decisions.hpp"
#include "bough/report/headlines.hpp"
#include "bough/report/places.hpp"
#include "bough/report/render.hpp"
#include "bough/report/table.hpp"
#include "bough/report/tables.hpp"

namespace bough {
namespace {

using Json = nlohmann::ordered_json;

/// The source of a Content-Security-Policy that allows one inline script or style, and no other.
std::string hash_source(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  ::EVP_Digest(text.data(), text.size(), digest.data(), &length, ::EVP_sha256(), nullptr);
  std::array<unsigned char, 64> base64{};
  ::EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(length));
  return std::format("'sha256-{}'", reinterpret_cast<const char*>(base64.data()));
}

/// JSON that cannot end its script element.
std::string json_script(const std::string& id, const Json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') text += "\\u003c";
    else text += c;
  }
  return std::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, text);
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == ',';
    if (plain) encoded += c;
    else encoded += std::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::string download(const Table& table, const std::string& file) {
  return std::format("<p class=\"download\"><a download=\"{0}\" href=\"data:text/csv;charset=utf-8,{1}\">{0}</a></p>\n", html_escaped(file), percent_encoded(csv(table)));
}

std::string data_below(Table table, const std::string& id) {
  table.id = "data-" + id;
  return "<details><summary>Data and CSV</summary>\n" + download(table, id + ".csv") + html(table) + "</details>\n";
}

std::string plural(std::size_t n, const std::string& noun) { return std::format("{}\u00a0{}{}", n, noun, n == 1 ? "" : "s"); }

std::string fact(const std::string& name, const std::string& value) {
  return value.empty() ? "" : std::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_escaped(name), html_escaped(value));
}

std::string machine_entry(const Evaluation& evaluation, const char* key) {
  const auto place = evaluation.machine.find(key);
  return place == evaluation.machine.end() ? "" : place->second;
}

/// What was run.
std::string facts_of(const Evaluation& evaluation) {
  std::size_t n_instances = 0;
  for (const GroupInfo& group : evaluation.groups) n_instances += group.instances.size();
  std::string text = "<dl class=\"facts\">\n";
  text += fact("Runs", evaluation.runs.size() == evaluation.n_planned ? std::format("{}, all of them", evaluation.runs.size()) : std::format("{} of {}", evaluation.runs.size(), evaluation.n_planned));
  const bool fewer_seeds = std::ranges::any_of(evaluation.groups, [&](const GroupInfo& group) { return !group.seeds.empty() && group.seeds.size() < evaluation.seeds.size(); });
  text += fact("Design", std::format("{} × {}{} × {}", plural(n_instances, "instance"), fewer_seeds ? "up to " : "", plural(evaluation.seeds.size(), "seed"), evaluation.policies.size() == 1 ? "1\u00a0policy" : std::format("{}\u00a0policies", evaluation.policies.size())));
  text += fact("Settings", settings_text(evaluation));
  text += fact("Time limit", std::format("{:g} s", evaluation.time_limit_s));
  text += fact("SCIP", machine_entry(evaluation, "scip"));
  text += fact("Processor", machine_entry(evaluation, "cpu"));
  text += "</dl>\n<details><summary>Machine, versions, groups, policies</summary>\n<dl class=\"facts\">\n";
  for (const auto& [key, value] : evaluation.machine) text += fact(key, value);
  std::string seeds;
  for (const std::uint32_t seed : evaluation.seeds) seeds += std::format("{}{}", seeds.empty() ? "" : ", ", seed);
  text += fact("seeds", seeds) + "</dl>\n";
  Table policies{"", "Policies", "", {{"policy"}, {"source"}, {"network"}, {"SCIP parameters"}}, {{"", {}}}};
  for (const PolicyInfo& policy : evaluation.policies) {
    const std::string network = policy.pseudocosts > 0 ? std::format("{}, pseudocosts {}", policy.network, policy.pseudocosts) : policy.network;
    const std::string parameters = parameters_text(policy);
    policies.sections[0].rows.push_back({{{policy.name}, {policy.source}, {network.empty() ? "–" : network}, {parameters.empty() ? "–" : parameters}}});
  }
  Table groups{"", "Groups", "", {{"group"}, {"family"}, {"size"}, {"parameters"}, {"instances"}}, {{"", {}}}};
  for (const GroupInfo& group : evaluation.groups) {
    groups.sections[0].rows.push_back({{{group.name}, {group.family.empty() ? "files" : group.family}, {group.size.empty() ? "–" : group.size}, {group.parameters.empty() ? "–" : parameters_text(group)}, {std::to_string(group.instances.size()), static_cast<double>(group.instances.size())}}});
  }
  return text + html(policies) + html(groups) + "</details>\n";
}

std::string header_of(std::span<const Evaluation> evaluations, const std::string& alarms) {
  std::string text = "<header>\n<p class=\"eyebrow\">Bough · learned branching for SCIP</p>\n";
  const bool one = evaluations.size() == 1;
  text += std::format("<h1>{}</h1>\n", one ? html_escaped(evaluations[0].name) : plural(evaluations.size(), "evaluation")) + alarms;
  for (const Evaluation& evaluation : evaluations) {
    if (!one) text += std::format("<section class=\"figure\"><h3>{}</h3>\n", html_escaped(evaluation.name));
    if (!evaluation.note.empty()) text += std::format("<p class=\"lead\">{}</p>\n", html_escaped(evaluation.note));
    text += facts_of(evaluation) + (one ? "" : "</section>\n");
  }
  return text + "</header>\n";
}

std::string alarms_of(std::span<const Evaluation> evaluations) {
  std::string items;
  std::size_t n_found = 0;
  for (const Evaluation& evaluation : evaluations) {
    for (const Disagreement& found : disagreements(evaluation)) {
      ++n_found;
      items += std::format("<li><strong>{}, {}</strong>: {}</li>\n", html_escaped(found.group), html_escaped(found.instance), html_escaped(found.text));
    }
  }
  if (n_found == 0) return "";
  return std::format("<section class=\"alarm\" role=\"alert\"><h2>{}</h2>\n<p>At least one of these answers is wrong, so no time below can be trusted before it is known which.</p>\n<ul>{}</ul></section>\n",
                     plural(n_found, "contradiction"), items);
}

std::string care(const std::string& loud, const std::string& rest) {
  return std::format("<p class=\"care\"><strong>{}</strong> {}</p>\n", html_escaped(loud), html_escaped(rest));
}

/// What a reader has to know before believing a figure.
std::string cares_of(const Evaluation& evaluation, bool named) {
  const std::string prefix = named ? evaluation.name + ": " : "";
  std::string text;
  if (evaluation.runs.size() < evaluation.n_planned) {
    text += care(std::format("{}{} of {} runs.", prefix, evaluation.runs.size(), evaluation.n_planned), "The evaluation is not finished: the figures below will change.");
  }
  if (const Noise found = noise(evaluation); found.too_noisy) {
    text += care(std::format("{}The machine was not steady.", prefix), std::format("The same solve took up to {:.2f} times as long as at other moments ({} calibrations), so differences in time of that size mean nothing. Nodes are not affected.", found.spread, found.n_calibrations));
  }
  std::map<std::string, std::size_t> n_without;
  std::string messages;
  std::int64_t n_fallbacks = 0, n_decisions = 0;
  for (const RunRecord& run : evaluation.runs) {
    n_fallbacks += run.n_fallbacks();
    n_decisions += run.n_decisions;
    if (run.end == "done") continue;
    if (++n_without[run.end] <= 3) messages += std::format(" {} on {} (seed {}) {}: {}.", run.policy, run.instance, run.seed, run.end, run.message.empty() ? "no message" : run.message);
  }
  if (!n_without.empty()) {
    std::string kinds;
    for (const auto& [kind, n] : n_without) kinds += std::format("{}{} {}", kinds.empty() ? "" : ", ", n, kind);
    text += care(std::format("{}Runs without a result: {}.", prefix, kinds), "They count as unsolved." + messages);
  }
  if (n_fallbacks > 0) {
    text += care(std::format("{}{} of {} decisions fell back to SCIP's own rules.", prefix, n_fallbacks, n_fallbacks + n_decisions), "The figures of these policies are not wholly their own; the tables say whose.");
  }
  return text;
}

std::string headlines_html(std::span<const Evaluation> evaluations) {
  std::string items;
  for (const Headline& headline : headlines(evaluations)) {
    const char* const kind = headline.verdict == Verdict::faster ? "better" : headline.verdict == Verdict::slower ? "worse" : "unclear";
    items += std::format("<li class=\"{}\"><h4>{}</h4><span class=\"big\">{:.2f}×</span><span class=\"what\">{}</span><span class=\"basis\">95 % interval in brackets · {} · p = {:.2g}</span></li>\n", kind,
                         html_escaped(headline.title), headline.time.ratio, html_escaped(headline.sentence), plural(headline.time.n_instances, "instance"), headline.time.p_value);
  }
  return items.empty() ? "" : "<ul class=\"headlines\">\n" + items + "</ul>\n";
}

std::string swatch(const Cast::Look& look) {
  std::string dashes;
  for (const int dash : look.dashes) dashes += std::format("{}{}", dashes.empty() ? " stroke-dasharray=\"" : " ", dash);
  return std::format("<svg viewBox=\"0 0 22 12\" aria-hidden=\"true\"><line x1=\"1\" y1=\"6\" x2=\"21\" y2=\"6\" stroke=\"{}\" stroke-width=\"{}\"{}{}/></svg>", look.colour, look.dashes.empty() ? 5 : 3, dashes, dashes.empty() ? "" : "\"");
}

/// A drawing, and what makes it live.
std::string chart_html(const std::string& id, const std::string& spec_id, const std::string& key, const std::string& label, const Drawing& drawing) {
  return std::format("<div class=\"chart\"{} data-spec=\"{}\"{} role=\"img\" aria-label=\"{}\">{}</div>\n", id.empty() ? "" : " id=\"" + id + "\"", spec_id, key.empty() ? "" : " data-key=\"" + key + "\"",
                     html_escaped(label), drawing.svg) +
         json_script(spec_id, drawing.vega);
}

std::string figure_html(const Chart& chart, std::span<const Drawing> drawings) {
  const std::string key = chart.id == "split" ? "part" : "policy";
  std::string text = std::format("<section class=\"figure\" id=\"{}\"><h3>{}</h3>\n<p class=\"reading\">{}</p>\n", chart.id, html_escaped(chart.title), html_escaped(chart.text));
  if (!chart.keys.empty()) {
    text += std::format("<ul class=\"keys\" data-key=\"{}\">", key);
    for (const Key& entry : chart.keys) text += std::format("<li data-label=\"{}\">{}<span>{}</span></li>", html_escaped(entry.label), swatch(entry.look), html_escaped(entry.label));
    text += "</ul>\n";
  }
  text += std::format("<div class=\"panels{}\">\n", chart.panels.size() <= 2 ? " two" : "");
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    const std::string& title = chart.panels[i].title;
    text += "<div class=\"panel\">" + (title.empty() ? "" : "<h4>" + html_escaped(title) + "</h4>");
    text += chart_html("", std::format("spec-{}-{}", chart.id, i), key, chart.title + (title.empty() ? "" : ": " + title), drawings[i]) + "</div>\n";
  }
  return text + "</div>\n" + data_below(chart.data, chart.id) + "</section>\n";
}

std::string decisions_html(const DecisionView& view, const Drawing& overview, const Drawing& detail) {
  std::string text =
      "<section class=\"figure\" id=\"decisions\" tabindex=\"-1\"><h3>Decision by decision</h3>\n"
      "<p class=\"reading\">What the policy thought of every candidate, beside full strong branching, the expert that it imitates. Blue choices are among the expert's best; the others fall short by as much as their line is long.</p>\n"
      "<div class=\"stepper\" hidden><select id=\"decisions-run\" aria-label=\"run\">";
  for (const std::string& run : view.runs) text += "<option>" + html_escaped(run) + "</option>";
  text += "</select><button type=\"button\" id=\"decisions-previous\" aria-label=\"previous decision\">←</button><span id=\"decisions-step\"></span><button type=\"button\" id=\"decisions-next\" aria-label=\"next decision\">→</button></div>\n";
  text += std::format("<noscript><p class=\"reading\">The first decision of {}; the others are in the data below.</p></noscript>\n", html_escaped(view.runs.front()));
  text += std::format("<p id=\"decisions-words\" aria-live=\"polite\">{}</p>\n", html_escaped(view.caption));
  text += "<div class=\"panels two\">\n<div class=\"panel\"><h4>All decisions of the run</h4>" + chart_html("decisions-overview", "spec-decisions-overview", "", "The expert's rank of every choice", overview) + "<p class=\"note\" id=\"decisions-agreement\"></p></div>\n";
  text += "<div class=\"panel\"><h4>Candidates of one decision</h4>" + chart_html("decisions-detail", "spec-decisions-detail", "", "The policy's score against the expert's rank", detail) + "</div>\n</div>\n";
  return text + html(view.candidates) + json_script("decisions-json", view.data) + data_below(view.decisions, "decisions") + "</section>\n";
}

/// Colours of the drawings in the dark scheme: attributes of SVG give way to any rule of a style sheet.
std::string style_sheet() {
  std::string dark;
  for (const auto& [light, other] : colour_schemes()) dark += std::format("svg [stroke=\"{0}\"]{{stroke:{1}}}svg [fill=\"{0}\"]{{fill:{1}}}\n", light, other);
  return std::string(assets::page_css()) + "@media screen and (prefers-color-scheme: dark) {\n" + dark + "}\n";
}

/// A library's script, without the address of its source map.
std::string library(std::string_view script) {
  const std::size_t end = script.rfind("//# sourceMappingURL=");
  return std::string(script.substr(0, end));
}

std::string comment(std::string text) {
  for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos; at += 3) text.replace(at, 2, "- -");
  return "<!--\n" + text + "-->\n";
}

}  // namespace

std::string page_html(std::span<const Evaluation> evaluations) {
  const std::vector<Chart> all = charts(evaluations);
  const std::optional<DecisionView> decisions = decision_view(evaluations);
  std::vector<Json> specs;
  for (const Chart& chart : all) {
    for (const Panel& panel : chart.panels) specs.push_back(panel.spec);
  }
  if (decisions) specs.insert(specs.end(), {decisions->overview, decisions->detail});
  const std::vector<Drawing> drawings = draw(specs);

  std::string summary = headlines_html(evaluations), figures;
  std::string contents = "<nav aria-label=\"contents\"><ul class=\"contents\"><li><a href=\"#summary\">Summary</a></li><li><a href=\"#tables\">Tables</a></li>";
  const auto add_link = [&](const std::string& id, const std::string& title) { contents += std::format("<li><a href=\"#{}\">{}</a></li>", id, html_escaped(title)); };
  std::size_t n_drawn = 0;
  const auto add_decisions = [&] {
    if (!decisions) return;
    figures += decisions_html(*decisions, drawings[drawings.size() - 2], drawings.back());
    add_link("decisions", "Decision by decision");
  };
  for (const Chart& chart : all) {
    if (chart.id == "calibration") add_decisions();  // the machine is the last
    std::string& place = chart.id == "ratios" ? summary : figures;
    place += figure_html(chart, std::span(drawings).subspan(n_drawn, chart.panels.size()));
    n_drawn += chart.panels.size();
    if (chart.id != "ratios") add_link(chart.id, chart.title);
  }
  if (std::ranges::none_of(all, [](const Chart& chart) { return chart.id == "calibration"; })) add_decisions();
  contents += "</ul></nav>\n";

  std::string tables;
  for (const Table& table : report_tables(evaluations)) tables += html(table) + download(table, table.id + ".csv");
  std::string cares;
  for (const Evaluation& evaluation : evaluations) cares += cares_of(evaluation, evaluations.size() > 1);

  std::string title;
  for (const Evaluation& evaluation : evaluations) title += (title.empty() ? "" : ", ") + evaluation.name;
  const std::string style = style_sheet(), scripts[] = {library(assets::vega_js()), library(assets::vega_interpreter_js()), std::string(assets::page_js())};
  std::string policy = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " + hash_source(style) + "; script-src";
  for (const std::string& script : scripts) policy += " " + hash_source(script);

  std::string page = "<!DOCTYPE html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += std::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy);
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n";
  page += "<link rel=\"icon\" href=\"data:,\">\n";
  page += std::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n", html_escaped(title), style);
  page += header_of(evaluations, alarms_of(evaluations)) + cares + contents;
  page += "<h2 id=\"summary\">Summary</h2>\n" + (summary.empty() ? "<p class=\"reading\">There is no learned policy and rule with runs in common yet.</p>\n" : summary);
  page += "<h2 id=\"tables\">Tables</h2>\n" + (tables.empty() ? "<p class=\"reading\">No run has ended yet.</p>\n" : tables);
  if (!figures.empty()) page += "<h2 id=\"figures\">Figures</h2>\n" + figures;
  page += "<footer><p>Definitions: docs/metrics.md. Drawn with Vega; its licence is in this file.</p></footer>\n</main>\n";
  page += comment(std::string(assets::licences()));
  for (const std::string& script : scripts) page += "<script>" + script + "</script>\n";
  return page + "</body>\n</html>\n";
}

}  // namespace bough
