// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bough {

/// A table as data, from which every format is written.  All text is plain: each writer escapes it for its format.
struct Cell {
  std::string text;
  std::optional<double> value{};  ///< to sort by, and for the CSV with all its digits; empty where the text is no number
  bool best = false;              ///< set in bold
};

struct Column {
  std::string heading;
  std::string group{};  ///< neighbouring columns of the same group stand under one heading: "Easy"
  std::string hint{};   ///< what the figure is, for a tool tip or a legend
};

struct Row {
  std::vector<Cell> cells;
};

/// Rows under a heading of their own: a family.
struct Section {
  std::string heading{};  ///< empty: none
  std::vector<Row> rows;
};

struct Table {
  std::string id;     ///< a file name and an anchor: "table-1"
  std::string title;
  std::string note{};  ///< below it: definitions, reductions, warnings
  std::vector<Column> columns;
  std::vector<Section> sections;
};

std::string markdown(const Table& table);
/// RFC 4180; the section is the first column, values in full precision where there are any, else the text.
std::string csv(const Table& table);
/// A table environment that needs no package.
std::string latex(const Table& table);
/// A <table> in a <figure>, sortable by the page's script through data-value attributes; readable without.
std::string html(const Table& table);

/// For text and attribute values of HTML and SVG.
std::string html_escaped(const std::string& text);

}  // namespace bough
