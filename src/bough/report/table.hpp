// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bough {

/// A table as data, from which every format is written.  All text is plain, and may come from anywhere: each writer escapes it for
/// its format, and shows control characters, those that change the direction of text and bytes that are not UTF-8 as U+FFFD.
/// The first column names the row.  A row may end early.
struct Cell {
  std::string text;
  std::optional<double> value{};  ///< to sort by, and for the CSV with all its digits; empty where the text is no number
  bool best = false;              ///< set in bold
  std::vector<std::pair<std::string, double>> parts{};  ///< the other numbers of the text by name, {"deviation", 0.12}: columns of their own in the CSV
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

/// GitHub's tables; sections are rows in bold, and the hints stand below as a legend.
std::string markdown(const Table& table);
/// RFC 4180; the section is the first column, values in full precision where there are any, else the text.  A spreadsheet takes no
/// text for a formula: one that looks like it gets an apostrophe in front.
std::string csv(const Table& table);
/// A table environment that needs no package.  Characters that pdflatex does not know by itself become "?".
std::string latex(const Table& table);
/// A <table> in a <figure>, sortable by the page's script through data-value attributes; readable without.
std::string html(const Table& table);

/// For text and attribute values of HTML and SVG.
std::string html_escaped(const std::string& text);

}  // namespace bough
