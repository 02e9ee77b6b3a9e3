// SPDX-License-Identifier: Apache-2.0
#include "bough/report/table.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <functional>
#include <string_view>

namespace bough {
namespace {

constexpr char32_t replacement = 0xFFFD;

/// One character at the front of `bytes`, which are shortened by it; U+FFFD for a byte that begins no valid UTF-8.
char32_t next_character(std::string_view& bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
  static constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};  // less is written in fewer bytes
  char32_t character = length < 2 ? first : first & (0x7FU >> length);
  bool valid = length > 0 && length <= bytes.size();
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0U) == 0x80;
    character = character << 6 | (byte(i) & 0x3FU);
  }
  valid = valid && character >= smallest[length] && character <= 0x10FFFF && (character < 0xD800 || character > 0xDFFF);
  bytes.remove_prefix(valid ? length : 1);
  return valid ? character : replacement;
}

bool is_control(char32_t c) {
  const auto between = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  // C0, C1, not characters; then marks, embeddings, overrides and isolates: text that reads otherwise than it is stored.
  return c < 0x20 || between(0x7F, 0x9F) || (c & 0xFFFE) == 0xFFFE || c == 0x061C || between(0x200E, 0x200F) || between(0x2028, 0x202E) || between(0x2066, 0x2069);
}

/// The text's characters; a line end is '\n', a tab is a space, what has no place in a text is U+FFFD.
std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  while (!text.empty()) {
    const char32_t character = next_character(text);
    if (character == '\r') {
      if (!text.starts_with('\n')) characters += U'\n';
    } else {
      characters += character == '\n' ? U'\n' : character == '\t' ? U' ' : is_control(character) ? replacement : character;
    }
  }
  return characters;
}

std::string utf8(char32_t c) {
  const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
}

bool is_number(const Cell& cell) { return cell.value && std::isfinite(*cell.value); }

const Cell& cell_at(const Row& row, std::size_t column) {
  static const Cell nothing;
  return column < row.cells.size() ? row.cells[column] : nothing;
}

/// Whether any cell of the column is a number: such columns stand to the right.
bool is_numeric(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.sections, [&](const Section& section) { return std::ranges::any_of(section.rows, [&](const Row& row) { return is_number(cell_at(row, column)); }); });
}

bool has_groups(const Table& table) {
  return std::ranges::any_of(table.columns, [](const Column& column) { return !column.group.empty(); });
}

/// Calls `write(group, n_columns)` for each run of neighbouring columns of one group.
void for_each_group(const Table& table, const std::function<void(const std::string& group, std::size_t n_columns)>& write) {
  for (std::size_t first = 0, last = 0; first < table.columns.size(); first = last) {
    const std::string& group = table.columns[first].group;
    while (last < table.columns.size() && table.columns[last].group == group) ++last;
    write(group, last - first);
  }
}

std::string full_heading(const Column& column) { return column.group.empty() ? column.heading : column.group + ": " + column.heading; }

/// The hints as a sentence, for formats without tool tips; a heading that stands in several groups is explained once.
std::string legend(const Table& table) {
  std::string text;
  std::vector<std::string> explained;
  for (const Column& column : table.columns) {
    if (column.hint.empty() || std::ranges::contains(explained, column.heading)) continue;
    explained.push_back(column.heading);
    text += (text.empty() ? "" : "; ") + column.heading + ": " + column.hint;
  }
  return text.empty() ? text : text + ".";
}

std::string markdown_escaped(std::string_view text) {
  const std::u32string characters = characters_of(text);
  std::string escaped;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char32_t c = characters[i], next = i + 1 < characters.size() ? characters[i + 1] : U'\0';
    // Brackets alone are no link, so intervals stay readable.
    const bool link = c == ']' && (next == '(' || next == '[' || next == ':');
    if (link || std::u32string_view(U"\\`*_<|&~#$").contains(c)) escaped += '\\';
    escaped += c == '\n' ? " " : utf8(c);
  }
  return escaped;
}

/// A paragraph of its own, which must not begin a list or a quotation.
std::string markdown_paragraph(std::string_view text) {
  if (text.empty()) return "";
  std::string escaped = markdown_escaped(text);
  if (const std::size_t start = escaped.find_first_not_of(' '); start != std::string::npos) escaped.erase(0, start);
  const std::size_t digits = std::min(escaped.find_first_not_of("0123456789"), escaped.size());
  if (digits < escaped.size() && std::string_view(digits > 0 ? ".)" : "+->=").contains(escaped[digits])) escaped.insert(digits, "\\");
  return "\n" + escaped + "\n";
}

std::string csv_field(std::string_view text) {
  std::string field;
  for (const char32_t c : characters_of(text)) field += c == '"' ? "\"\"" : utf8(c);
  if (!field.empty() && std::string_view("=+-@").contains(field[0])) field.insert(0, "'");
  return field.find_first_of("\",\n") == std::string::npos ? field : '"' + field + '"';
}

std::string latex_escaped(std::string_view text) {
  std::string escaped;
  for (const char32_t c : characters_of(text)) {
    switch (c) {
      case '#': case '$': case '%': case '&': case '_': case '{': case '}': escaped += '\\', escaped += utf8(c); break;
      case '~': escaped += "\\textasciitilde{}"; break;
      case '^': escaped += "\\textasciicircum{}"; break;
      case '\\': escaped += "\\textbackslash{}"; break;
      // Not special, but the standard fonts have other signs in their places.
      case '<': escaped += "\\textless{}"; break;
      case '>': escaped += "\\textgreater{}"; break;
      case '|': escaped += "\\textbar{}"; break;
      // After the end of a row these begin an argument; a grave accent would join with its neighbours.
      case '[': case ']': case '*': case '`': escaped += '{' + utf8(c) + '}'; break;
      case '\n': escaped += ' '; break;
      case U'\u00A0': escaped += '~'; break;
      case U'±': escaped += "$\\pm$"; break;
      case U'×': escaped += "$\\times$"; break;
      case U'–': escaped += "--"; break;
      case U'—': escaped += "---"; break;
      case U'−': escaped += "$-$"; break;
      case U'≤': escaped += "$\\le$"; break;
      case U'≥': escaped += "$\\ge$"; break;
      default: escaped += c < 0x80 ? utf8(c) : "?";
    }
  }
  return escaped;
}

std::string label_of(std::string_view id) {
  std::string label;
  for (const char c : id) label += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '-';
  return label;
}

}  // namespace

std::string markdown(const Table& table) {
  std::string text = "### " + markdown_escaped(table.title) + "\n\n|";
  for (const Column& column : table.columns) text += " " + markdown_escaped(full_heading(column)) + " |";
  text += "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += is_numeric(table, i) ? "---:|" : "---|";
  text += "\n";
  const auto cell_text = [](std::string_view plain, bool bold) {
    const std::string escaped = markdown_escaped(plain);
    return escaped.empty() ? " |" : bold ? " **" + escaped + "** |" : " " + escaped + " |";
  };
  for (const Section& section : table.sections) {
    if (!section.heading.empty()) {
      text += "|" + cell_text(section.heading, true);
      for (std::size_t i = 1; i < table.columns.size(); ++i) text += " |";
      text += "\n";
    }
    for (const Row& row : section.rows) {
      text += "|";
      for (std::size_t i = 0; i < table.columns.size(); ++i) text += cell_text(cell_at(row, i).text, cell_at(row, i).best);
      text += "\n";
    }
  }
  return text + markdown_paragraph(legend(table)) + markdown_paragraph(table.note);
}

std::string csv(const Table& table) {
  // The parts that any cell of a column has, in the order in which they are met.
  std::vector<std::vector<std::string>> parts(table.columns.size());
  for (const Section& section : table.sections) {
    for (const Row& row : section.rows) {
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        for (const auto& [name, value] : cell_at(row, i).parts) {
          if (!std::ranges::contains(parts[i], name)) parts[i].push_back(name);
        }
      }
    }
  }
  std::string text = "section";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string heading = full_heading(table.columns[i]);
    text += "," + csv_field(heading);
    for (const std::string& part : parts[i]) text += "," + csv_field(heading + " " + part);
  }
  text += "\r\n";
  for (const Section& section : table.sections) {
    for (const Row& row : section.rows) {
      text += csv_field(section.heading);
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Cell& cell = cell_at(row, i);
        text += "," + (is_number(cell) ? std::format("{}", *cell.value) : csv_field(cell.text));
        for (const std::string& part : parts[i]) {
          const auto found = std::ranges::find(cell.parts, part, &std::pair<std::string, double>::first);
          text += found != cell.parts.end() && std::isfinite(found->second) ? std::format(",{}", found->second) : ",";
        }
      }
      text += "\r\n";
    }
  }
  return text;
}

std::string latex(const Table& table) {
  const std::size_t n_columns = table.columns.size();
  std::string text = "\\begin{table}\n\\centering\n\\caption{" + latex_escaped(table.title) + "}\n\\label{tab:" + label_of(table.id) + "}\n";
  // Scaling a table to the page's width needs a package; small letters, narrow gaps and an equal part of both margins do not.
  text += n_columns > 6 ? "\\scriptsize\\setlength{\\tabcolsep}{2.5pt}\n" : "\\small\n";
  text += "\\makebox[\\linewidth][c]{%\n\\begin{tabular}{";
  for (std::size_t i = 0; i < n_columns; ++i) text += is_numeric(table, i) ? 'r' : 'l';
  text += "}\n\\hline\n";
  const auto spanning = [](std::size_t width, const std::string& content) { return std::format("\\multicolumn{{{}}}{{c}}{{{}}}", width, content); };
  const auto write_row = [&text](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? " & " : "") + cells[i];
    text += " \\\\\n";
  };
  std::vector<std::string> cells;
  if (has_groups(table)) {
    for_each_group(table, [&](const std::string& group, std::size_t width) { cells.push_back(spanning(width, latex_escaped(group))); });
    write_row(cells);
    cells.clear();
  }
  for (const Column& column : table.columns) cells.push_back(latex_escaped(column.heading));
  write_row(cells);
  text += "\\hline\n";
  for (const Section& section : table.sections) {
    if (!section.heading.empty()) write_row({spanning(n_columns, "\\textbf{" + latex_escaped(section.heading) + "}")});
    for (const Row& row : section.rows) {
      cells.clear();
      for (std::size_t i = 0; i < n_columns; ++i) {
        const std::string content = latex_escaped(cell_at(row, i).text);
        cells.push_back(cell_at(row, i).best ? "\\textbf{" + content + "}" : content);
      }
      write_row(cells);
    }
    text += "\\hline\n";
  }
  text += "\\end{tabular}}\n";
  for (const std::string& below : {legend(table), table.note}) {
    if (!below.empty()) text += "\n\\smallskip\n{\\footnotesize " + latex_escaped(below) + "\\par}\n";
  }
  return text + "\\end{table}\n";
}

std::string html(const Table& table) {
  std::string text = std::format("<figure class=\"table\" id=\"{}\">\n<figcaption>{}</figcaption>\n<div class=\"scroll\"><table class=\"sortable\">\n<thead>\n", html_escaped(table.id), html_escaped(table.title));
  if (has_groups(table)) {
    text += "<tr class=\"groups\">";
    for_each_group(table, [&](const std::string& group, std::size_t width) {
      text += group.empty() ? std::format("<td colspan=\"{}\"></td>", width) : std::format("<th scope=\"colgroup\" colspan=\"{}\">{}</th>", width, html_escaped(group));
    });
    text += "</tr>\n";
  }
  text += "<tr>";
  for (const Column& column : table.columns) {
    const std::string hint = column.hint.empty() ? "" : " title=\"" + html_escaped(column.hint) + "\"";
    text += std::format("<th scope=\"col\"{}>{}</th>", hint, html_escaped(column.heading));
  }
  text += "</tr>\n</thead>\n";
  for (const Section& section : table.sections) {
    text += "<tbody>\n";
    if (!section.heading.empty()) text += std::format("<tr class=\"section\"><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n", table.columns.size(), html_escaped(section.heading));
    for (const Row& row : section.rows) {
      text += "<tr>";
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Cell& cell = cell_at(row, i);
        const std::string value = is_number(cell) ? std::format(" data-value=\"{}\"", *cell.value) : "";
        const std::string content = html_escaped(cell.text);
        // The first cell names the row, for those who hear the table.
        const std::string_view element = i == 0 ? "th" : "td";
        text += std::format("<{}{}{}>{}</{}>", element, i == 0 ? " scope=\"row\"" : "", value, cell.best ? "<strong>" + content + "</strong>" : content, element);
      }
      text += "</tr>\n";
    }
    text += "</tbody>\n";
  }
  text += "</table></div>\n";
  if (!table.note.empty()) text += "<p class=\"note\">" + html_escaped(table.note) + "</p>\n";
  return text + "</figure>\n";
}

std::string html_escaped(const std::string& text) {
  std::string escaped;
  for (const char32_t c : characters_of(text)) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += utf8(c);
    }
  }
  return escaped;
}

}  // namespace bough
