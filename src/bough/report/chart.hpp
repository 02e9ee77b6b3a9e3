// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bough/evaluate/record.hpp"
#include "bough/report/table.hpp"

namespace bough {

/// Who is who on a page: one order and one colour of a policy in all of its figures.
struct Cast {
  struct Look {
    std::string colour;        ///< of the light scheme: "#0072b2"
    std::vector<int> dashes;   ///< of its lines; empty: solid
    bool operator==(const Look&) const = default;
  };
  std::vector<std::string> policies;  ///< of all evaluations, in the order of the first that has them
  std::vector<Look> looks;            ///< by policy
  std::string base;  ///< what ratios divide by: relpscost, else the first rule, else the first policy; empty without policies
  std::string main;  ///< tgat, else the first that is learned, else the first that is not the base; empty if there is only one policy

  [[nodiscard]] const Look& look_of(const std::string& policy) const;
};
Cast cast_of(std::span<const Evaluation> evaluations);

/// (light, dark) of every colour that a figure may use: the page's style sheet changes one to the other.
std::span<const std::pair<const char*, const char*>> colour_schemes();

/// One drawing.  Names of policies, groups and instances are untrusted text: they are values in the specification's data and scale
/// domains, never parts of its field names or expressions.
struct Panel {
  std::string title;            ///< of its group; may be empty
  nlohmann::ordered_json spec;  ///< Vega-Lite 5, 360 wide in all, so that its text is readable on a telephone
};

/// An entry of a legend.
struct Key {
  std::string label;
  Cast::Look look;
};

/// A figure: drawings that share a legend, and the numbers behind them.
struct Chart {
  std::string id;    ///< an anchor and a file name: "gap"
  std::string title;
  std::string text;  ///< how to read it
  std::vector<Key> keys;
  std::vector<Panel> panels;
  Table data;
};

/// A group of an evaluation that has runs, with the title of its place.
struct Part {
  const Evaluation* evaluation;
  std::string group;
  std::string title;
};
std::vector<Part> parts_of(std::span<const Evaluation> evaluations);

/// Building blocks of a figure.
/// The skeleton that all share: size, fonts and axes.  The page sets `hidden`, the labels of the legend that are faded.
nlohmann::ordered_json spec_with(double height, nlohmann::ordered_json layers);
/// A JSON number of five digits; null if it is not finite.
nlohmann::ordered_json rounded(double value);
/// Round values from `low` to `high`, about five, for a logarithmic axis.
std::vector<double> log_ticks(double low, double high);
/// `n` values from `low` to `high`, both included, in equal ratios.
std::vector<double> log_spaced(double low, double high, int n);
/// A colour encoding for the field `policy`.
nlohmann::ordered_json policy_colours(const Cast& cast);
std::vector<Key> policy_keys(const Cast& cast);
/// Fades what the legend hides; `field` is one of ours.
nlohmann::ordered_json faded_by(const std::string& field);

/// The figures over all runs, those that have something to show: ratios first.
std::vector<Chart> charts(std::span<const Evaluation> evaluations);

}  // namespace bough
