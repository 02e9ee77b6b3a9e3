// SPDX-License-Identifier: Apache-2.0
//
// The report's page: complete, self-contained, and safe with any name in a record.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/report/chart.hpp"
#include "bough/report/page.hpp"
#include "bough/report/render.hpp"
#include "tests/evaluations.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string page_of(const Evaluation& evaluation) { return page_html({&evaluation, 1}); }

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

/// The page without its libraries: their scripts and licences name addresses.
std::string own_part(const std::string& page) { return page.substr(0, page.find("</main>")); }

/// The contents of <script type="application/json">.
std::vector<Json> data_of(const std::string& page) {
  std::vector<Json> found;
  const std::string start = "<script type=\"application/json\"";
  for (std::size_t at = 0; (at = page.find(start, at)) != std::string::npos;) {
    at = page.find('>', at) + 1;
    const std::size_t end = page.find("</script>", at);
    found.push_back(Json::parse(page.substr(at, end - at)));
  }
  return found;
}

/// Every expression and field name of a Vega specification, and every key: what a name must never become a part of.
void collect_code(const Json& value, std::string& code) {
  if (value.is_object()) {
    for (const auto& [key, entry] : value.items()) {
      code += key + "\n";
      const bool is_code = key == "signal" || key == "expr" || key == "test" || key == "update" || key == "field" || key == "events" || key == "as" || key == "groupby";
      if (key == "values" && entry.is_array()) continue;  // data
      if (is_code && entry.is_string()) code += entry.get<std::string>() + "\n";
      collect_code(entry, code);
    }
  } else if (value.is_array()) {
    for (const Json& entry : value) collect_code(entry, code);
  }
}

TEST(Page, HasEveryFigureWithItsDrawingItsDataAndItsTable) {
  const std::string page = page_of(example_evaluation());
  for (const char* id : {"ratios", "gap", "profile", "scatter", "accuracy", "split", "nodes", "decisions", "calibration"}) {
    const std::size_t start = page.find(std::string("<section class=\"figure\" id=\"") + id + "\"");
    ASSERT_NE(start, std::string::npos) << id;
    const std::string figure = page.substr(start, page.find("</section>", start) - start);
    EXPECT_NE(figure.find("<svg xmlns"), std::string::npos) << id;
    EXPECT_EQ(count(figure, "class=\"chart\""), count(figure, "<svg xmlns")) << id;
    EXPECT_NE(figure.find("<table"), std::string::npos) << id;
    EXPECT_NE(figure.find(std::string("download=\"") + id + ".csv\""), std::string::npos) << id;
  }
  for (const char* text : {"An example with invented figures", "200, all of them", "Example CPU", "setcover-tgat.safetensors", "times as fast as relpscost"}) EXPECT_NE(page.find(text), std::string::npos) << text;
  EXPECT_EQ(page.find("class=\"alarm\""), std::string::npos);
  EXPECT_EQ(page.find("class=\"care\""), std::string::npos);
}

TEST(Page, TheSameRecordsGiveTheSameBytes) {
  const Evaluation evaluation = example_evaluation();
  EXPECT_EQ(page_of(evaluation), page_of(evaluation));
}

TEST(Page, RefersToNothingOutsideOfItself) {
  const std::string page = page_of(example_evaluation());
  std::string own = own_part(page);
  for (const std::string name : {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}) {  // names of languages, never fetched
    for (std::size_t at = 0; (at = own.find(name)) != std::string::npos;) own.erase(at, name.size());
  }
  EXPECT_EQ(own.find("http:"), std::string::npos);
  EXPECT_EQ(own.find("https:"), std::string::npos);
  EXPECT_FALSE(std::regex_search(own, std::regex(R"re((src|href)="(?!#|data:))re")));
  EXPECT_FALSE(std::regex_search(own, std::regex(R"(@import|url\()"))) << "within a page, too: numbers of clip paths in still and live drawings would meet";
  EXPECT_EQ(page.find("sourceMappingURL"), std::string::npos);
  EXPECT_EQ(page.find(BOUGH_SOURCE_DIR), std::string::npos);
}

TEST(Page, AllowsItsOwnScriptsAndNoOther) {
  const std::string page = page_of(example_evaluation());
  std::smatch match;
  ASSERT_TRUE(std::regex_search(page, match, std::regex("<meta http-equiv=\"Content-Security-Policy\" content=\"([^\"]*)\">")));
  const std::string policy = match[1];
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
  EXPECT_EQ(count(policy, "'sha256-"), 4U) << policy;  // a style sheet, two libraries, the page's script
  EXPECT_EQ(count(page, "<script>"), 3U);
  EXPECT_EQ(own_part(page).find(" style=\""), std::string::npos) << "would need 'unsafe-inline'";
  EXPECT_FALSE(std::regex_search(own_part(page), std::regex(R"( on[a-z]+=")")));
}

const std::vector<std::string> hostile_names{"</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "javascript:alert(1)", "{{constructor}}", "datum.x", "'+alert(1)+'", "a\\\"]|b", "<!--<script>", "%3Cscript%3E", "__proto__", "\xff\xfe&amp;"};

TEST(Page, TakesHostileNamesAsText) {
  Evaluation evaluation = example_evaluation();
  // Every policy, group and instance gets such a name, and the rest of the text too.
  std::map<std::string, std::string> renamed;
  const auto rename = [&](std::string& name) {
    if (!renamed.contains(name)) renamed.emplace(name, hostile_names[renamed.size() % hostile_names.size()] + std::to_string(renamed.size()));
    name = renamed.at(name);
  };
  for (PolicyInfo& policy : evaluation.policies) rename(policy.name), rename(policy.source);
  for (GroupInfo& group : evaluation.groups) rename(group.name), group.family.clear();
  for (RunRecord& run : evaluation.runs) rename(run.group), rename(run.instance), rename(run.policy), rename(run.status);
  for (Json& explained : evaluation.explained) {
    for (const char* key : {"group", "instance", "policy"}) rename(explained[key].get_ref<std::string&>());
    for (Json& decision : explained["decisions"]) {
      decision["chosen"] = hostile_names[0];
      for (Json& candidate : decision["candidates"]) rename(candidate["name"].get_ref<std::string&>());
    }
  }
  evaluation.name = evaluation.note = evaluation.settings = hostile_names[0];
  evaluation.machine["cpu"] = evaluation.machine[hostile_names[1]] = hostile_names[0];
  evaluation.runs[0].end = "crashed";
  evaluation.runs[0].message = hostile_names[0];
  evaluation.references[evaluation.runs[1].group + "/" + evaluation.runs[1].instance] = 1e6;  // a contradiction, which is shown
  const std::string page = page_of(evaluation), own = own_part(page);

  EXPECT_EQ(count(page, "<script>"), 3U);
  EXPECT_EQ(own.find("<script>"), std::string::npos);
  EXPECT_EQ(own.find("<img"), std::string::npos);
  EXPECT_EQ(count(own, "<!--"), 0U);
  EXPECT_NE(own.find("&lt;/script&gt;&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_FALSE(std::regex_search(own, std::regex(R"(href="javascript)")));
  EXPECT_NE(own.find("class=\"alarm\""), std::string::npos);
  // In specifications they are data: no expression, field or key contains one.
  for (const Json& data : data_of(page)) {
    std::string code;
    collect_code(data, code);
    for (const std::string& name : hostile_names) {
      if (name == "__proto__" || name == "datum.x") continue;  // expressions of our own begin like the second
      EXPECT_EQ(code.find(name), std::string::npos) << name;
    }
    EXPECT_FALSE(std::regex_search(code, std::regex(R"(__proto__|datum\.x\d)")));
  }

  const TemporaryDirectory directory;
  write_file(directory.path() / "hostile.html", page);
  const Finished browser = run_program({"node", BOUGH_SOURCE_DIR "/tests/browser/page.mjs", (directory.path() / "hostile.html").string(), directory.path().string()});
  EXPECT_EQ(browser.exit_code, 0) << browser.out << browser.err;
}

TEST(Page, ShowsContradictionsFirstAndEveryReasonForCare) {
  Evaluation evaluation = example_evaluation();
  evaluation.references["setcover-easy/setcover-easy-20000"] = 1000;
  evaluation.n_planned = 300;
  evaluation.runs[3].end = "crashed";
  evaluation.runs[3].message = "signal 11";
  evaluation.runs[4].fallbacks = {{"nonfinite_score", 7}};
  for (std::size_t i = 0; i < evaluation.calibrations.size(); i += 2) evaluation.calibrations[i].time_s *= 2;
  const std::string page = page_of(evaluation);
  const std::size_t alarm = page.find("class=\"alarm\"");
  ASSERT_NE(alarm, std::string::npos);
  EXPECT_LT(alarm, page.find("class=\"facts\""));
  EXPECT_LT(page.find("class=\"care\""), page.find("id=\"summary\""));
  for (const char* text : {"200 of 300 runs.", "The machine was not steady.", "Runs without a result: 1 crashed.", "signal 11", "decisions fell back"}) EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST(Page, SurvivesEvaluationsWithLittleInThem) {
  const auto with = [](auto&& change) {
    Evaluation evaluation = example_evaluation();
    change(evaluation);
    return page_of(evaluation);
  };
  const auto keep_policies = [](Evaluation& evaluation, const std::vector<std::string>& names) {
    std::erase_if(evaluation.policies, [&](const PolicyInfo& policy) { return !std::ranges::contains(names, policy.name); });
    std::erase_if(evaluation.runs, [&](const RunRecord& run) { return !std::ranges::contains(names, run.policy); });
  };
  const std::string single = with([&](Evaluation& e) { keep_policies(e, {"tgat"}); });
  EXPECT_NE(single.find("id=\"gap\""), std::string::npos);
  EXPECT_EQ(single.find("id=\"scatter\""), std::string::npos);
  const std::string rules = with([&](Evaluation& e) { keep_policies(e, {"relpscost", "pscost"}); });
  EXPECT_NE(rules.find("id=\"scatter\""), std::string::npos);
  EXPECT_EQ(rules.find("id=\"accuracy\""), std::string::npos);
  const std::string nothing = with([](Evaluation& e) { e.runs.clear(), e.explained.clear(), e.calibrations.clear(), e.policies.clear(); });
  EXPECT_NE(nothing.find("0 of 200 runs."), std::string::npos);
  EXPECT_EQ(nothing.find("<svg xmlns"), std::string::npos);
  EXPECT_NE(page_html({}).find("</html>"), std::string::npos);
  const std::string unsolved = with([](Evaluation& e) {
    for (RunRecord& run : e.runs) run.proven = false, run.status = "time-limit", run.time_s = e.time_limit_s, run.dual_bound -= 5;
  });
  EXPECT_NE(unsolved.find("id=\"nodes\""), std::string::npos);
  const std::string failed = with([](Evaluation& e) {
    for (RunRecord& run : e.runs) {
      RunRecord crashed;
      crashed.group = run.group, crashed.instance = run.instance, crashed.seed = run.seed, crashed.policy = run.policy;
      crashed.end = "crashed";
      run = crashed;
    }
  });
  EXPECT_NE(failed.find("200 crashed"), std::string::npos);
  // A run that is over before the clock ticks, and one node.
  const std::string quick = with([](Evaluation& e) {
    for (RunRecord& run : e.runs) run.time_s = run.root_time_s = run.lp_time_s = run.branching_time_s = run.heuristics_time_s = run.policy_time_s = 0, run.n_nodes = 1, run.trace.clear();
  });
  EXPECT_NE(quick.find("id=\"profile\""), std::string::npos);
}

TEST(Page, HasNoNumberThatIsNone) {
  Evaluation evaluation = example_evaluation();
  evaluation.policies[2].accuracy = {{1, std::nan("")}, {5, INFINITY}};
  evaluation.calibrations[3] = {std::nan(""), INFINITY};
  evaluation.explained[0]["decisions"][0]["candidates"][0]["expert_rank"] = nullptr;
  evaluation.explained[0]["decisions"][1].erase("candidates");
  evaluation.explained[0]["decisions"][2]["no_expert"] = "lp_error";
  evaluation.explained[0]["decisions"][3] = "not an object";
  evaluation.explained[0]["decisions"][4].erase("node");
  evaluation.explained[1].erase("seed");
  for (Json& candidate : evaluation.explained[0]["decisions"][2]["candidates"]) candidate.erase("expert_rank"), candidate.erase("expert_score");
  for (BoundPoint& point : evaluation.runs[0].trace) point.primal = INFINITY, point.dual = -INFINITY;
  const std::string page = page_of(evaluation);
  EXPECT_FALSE(data_of(page).empty());  // all of it is JSON
  EXPECT_FALSE(std::regex_search(own_part(page), std::regex(R"(\b(NaN|nan|inf|Infinity)\b)")));
}

TEST(Page, ShowsSeveralEvaluationsTogether) {
  std::vector<Evaluation> two{example_evaluation(), example_evaluation()};
  two[0].name = "first suite";
  two[1].name = "second suite";
  two[1].policies.push_back({"fullstrong", "fullstrong", "", {}});
  const std::string page = page_html(two);
  EXPECT_NE(page.find("<h1>2\u00a0evaluations</h1>"), std::string::npos);
  EXPECT_NE(page.find("Set Covering, easy (second suite, "), std::string::npos);
}

// A rule with parameters of its own is not SCIP's default, whichever comes first; the page says what makes a policy another one.
TEST(Page, TellsPoliciesWithParametersOfTheirOwnApart) {
  Evaluation evaluation = example_evaluation();
  PolicyInfo tuned = evaluation.policies.front();
  ASSERT_EQ(tuned.source, "relpscost");
  tuned.name = "tuned";
  tuned.scip_parameters = {{"branching/relpscost/maxlookahead", "4"}};
  evaluation.policies.insert(evaluation.policies.begin(), tuned);
  std::ranges::find(evaluation.policies, "tgat", &PolicyInfo::network)->pseudocosts = 2.5;
  EXPECT_EQ(cast_of({&evaluation, 1}).base, "relpscost");
  const std::string page = page_of(evaluation);
  EXPECT_NE(page.find("branching/relpscost/maxlookahead = 4"), std::string::npos);
  EXPECT_NE(page.find("tgat, pseudocosts 2.5"), std::string::npos);
}

TEST(Page, APolicyHasOneColourEverywhere) {
  const Evaluation evaluation = example_evaluation();
  const Cast cast = cast_of({&evaluation, 1});
  EXPECT_EQ(cast.base, "relpscost");
  EXPECT_EQ(cast.main, "tgat");
  std::size_t n_scales = 0;
  for (const Chart& chart : charts({&evaluation, 1})) {
    if (chart.id == "split") continue;
    for (const Panel& panel : chart.panels) {
      for (const Json& layer : panel.spec["layer"]) {
        const auto colour = layer["encoding"].find("color");
        if (colour == layer["encoding"].end()) continue;
        EXPECT_EQ((*colour)["scale"]["domain"].get<std::vector<std::string>>(), cast.policies) << chart.id;
        EXPECT_EQ((*colour)["scale"]["range"], policy_colours(cast)["scale"]["range"]) << chart.id;
        ++n_scales;
      }
    }
  }
  EXPECT_GT(n_scales, 10U);
  // Thirteen policies: no two look the same.
  Evaluation many;
  for (int i = 0; i < 13; ++i) many.policies.push_back({"policy " + std::to_string(i), "", i > 3 ? "gcnn" : "", {}});
  const Cast crowd = cast_of({&many, 1});
  for (std::size_t i = 0; i < crowd.looks.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(crowd.looks[i], crowd.looks[j]) << i << " " << j;
  }
}

TEST(Page, ThePartsOfTheTimeAddUpToIt) {
  const Evaluation evaluation = example_evaluation();
  const auto all = charts({&evaluation, 1});
  const auto chart = std::ranges::find(all, "split", &Chart::id);
  ASSERT_NE(chart, all.end());
  std::map<std::string, double> time, heuristics, n_runs;  // of the first group's runs, by policy
  for (const RunRecord& run : evaluation.runs) {
    if (run.group != evaluation.groups.front().name) continue;
    ++n_runs[run.policy];
    time[run.policy] += run.time_s;
    heuristics[run.policy] += run.heuristics_time_s;
  }
  std::map<std::string, double> sums;
  for (const Json& row : chart->panels.front().spec["data"]["values"]) {
    const auto policy = row["policy"].get<std::string>();
    sums[policy] += row["seconds"].get<double>();
    if (row["part"] == "heuristics") {
      EXPECT_NEAR(row["seconds"].get<double>(), heuristics[policy] / n_runs[policy], 1e-3);  // rounded for the page
    }
  }
  EXPECT_EQ(sums.size(), evaluation.policies.size());
  for (const auto& [policy, sum] : sums) EXPECT_NEAR(sum, time[policy] / n_runs[policy], 5e-3) << policy;
}

TEST(Page, TicksOfLogarithmicAxesAreRound) {
  EXPECT_EQ(log_ticks(1, 100), (std::vector<double>{1, 3, 10, 30, 100}));
  EXPECT_EQ(log_ticks(0.8, 3.2), (std::vector<double>{1, 1.5, 2, 3}));
  EXPECT_EQ(log_ticks(1e-4, 1).size(), 5U);
  for (const double high : {1.001, 1.5, 7.0, 1e3, 1e9, 1e12}) {
    const auto ticks = log_ticks(1, high);
    EXPECT_GE(ticks.size(), 2U) << high;
    EXPECT_LE(ticks.size(), 8U) << high;
  }
}

TEST(Page, WithoutNodeSaysWhichPackageIsMissing) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  try {
    draw({Json::object()});
    ADD_FAILURE() << "drew";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::failure);
    EXPECT_NE(error.hint().find("nodejs"), std::string::npos);
  }
  ::setenv("PATH", path.c_str(), 1);
  // A wrong specification is an error, not an empty figure.
  EXPECT_THROW(draw({Json::parse(R"({"mark": "bar", "encoding": 3, "data": 7})")}), Error);
}

TEST(Page, ABrowserDrawsSortsStepsAndReadsItWithoutScripts) {
  const TemporaryDirectory directory;
  // BOUGH_PICTURES keeps the page and its pictures.
  const char* const wanted = std::getenv("BOUGH_PICTURES");
  const fs::path out = wanted != nullptr ? fs::path(wanted) : directory.path();
  fs::create_directories(out);
  write_file(out / "page.html", page_of(example_evaluation()));
  const Finished browser = run_program({"node", BOUGH_SOURCE_DIR "/tests/browser/page.mjs", (out / "page.html").string(), out.string()});
  EXPECT_EQ(browser.exit_code, 0) << browser.out << browser.err;
  for (const char* picture : {"wide.png", "dark.png", "phone.png", "static.png"}) EXPECT_TRUE(fs::exists(out / picture)) << picture;
}

}  // namespace
}  // namespace bough::test
