// SPDX-License-Identifier: Apache-2.0
//
// Tables in every format: what they look like, and that no text breaks out of its cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "bough/file.hpp"
#include "bough/report/table.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

// policy |    Easy     | Hard
//        | time  wins  | time
// -- Set Covering --
// tgat   | *6.02* 14   | n/a
// Two columns of one group, a best cell with a deviation, a cell without a number, and a row that ends early.
Table small_table() {
  return {.id = "table-1",
          .title = "Policies",
          .note = "Limit: 60 s.",
          .columns = {{"policy"}, {"time", "Easy", "seconds"}, {"wins", "Easy", "fastest"}, {"time", "Hard", "seconds"}},
          .sections = {{"Set Covering", {{{{"tgat"}, {"6.02 ± 0.12", 6.0201, true, {{"deviation", 0.125}}}, {"14/20", 14}, {"n/a"}}}, {{{"pscost"}, {"7.10", 7.1}}}}}}};
}

/// Everything that means something to one of the formats, in every place where a table has text.
const std::string hostile = "<script>alert('x')</script> | \"a\" & b, #$%&~_^\\{} *[c](d)* `e`\nf \u202Eg\x01 ± é \xFF";
Table hostile_table() {
  return {.id = hostile, .title = hostile, .note = hostile, .columns = {{hostile, hostile, hostile}, {"n", "", hostile}}, .sections = {{hostile, {{{{hostile, {}, true}, {hostile, 1}}}, {{{"[x"}, {"*y"}}}}}}};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(Markdown, WritesGroupsSectionsAndTheBestInBold) {
  EXPECT_EQ(markdown(small_table()),
            "### Policies\n\n"
            "| policy | Easy: time | Easy: wins | Hard: time |\n"
            "|---|---:|---:|---|\n"
            "| **Set Covering** | | | |\n"
            "| tgat | **6.02 ± 0.12** | 14/20 | n/a |\n"
            "| pscost | 7.10 | | |\n"
            "\ntime: seconds; wins: fastest.\n"
            "\nLimit: 60 s.\n");
}

TEST(Markdown, KeepsHostileTextInItsCell) {
  const std::string escaped = "\\<script>alert('x')\\</script> \\| \"a\" \\& b, \\#\\$%\\&\\~\\_^\\\\{} \\*[c\\](d)\\* \\`e\\` f \uFFFDg\uFFFD ± é \uFFFD";
  const std::string text = markdown(hostile_table());
  EXPECT_TRUE(text.starts_with("### " + escaped + "\n\n| " + escaped + ": " + escaped + " | n |\n|---|---:|\n| **" + escaped + "** | |\n| **" + escaped + "** | " + escaped + " |\n| [x | \\*y |\n")) << text;
  EXPECT_TRUE(text.ends_with("\n\n" + escaped + "\n")) << text;
}

TEST(Markdown, BeginsNoListAndNoQuotationWithANote) {
  const auto note = [](const std::string& text) { return markdown({.id = "t", .title = "t", .note = text, .columns = {{"a"}}, .sections = {}}).substr(std::string("### t\n\n| a |\n|---|\n\n").size()); };
  EXPECT_EQ(note("- a"), "\\- a\n");
  EXPECT_EQ(note("    + a"), "\\+ a\n");
  EXPECT_EQ(note("> a"), "\\> a\n");
  EXPECT_EQ(note("12. a"), "12\\. a\n");
  EXPECT_EQ(note("12 a - b"), "12 a - b\n");
  EXPECT_EQ(note("1.5 [1.2, 1.9]"), "1\\.5 [1.2, 1.9]\n");
}

TEST(Csv, HasFullPrecisionAndPartsInColumnsOfTheirOwn) {
  EXPECT_EQ(csv(small_table()),
            "section,policy,Easy: time,Easy: time deviation,Easy: wins,Hard: time\r\n"
            "Set Covering,tgat,6.0201,0.125,14,n/a\r\n"
            "Set Covering,pscost,7.1,,,\r\n");
}

TEST(Csv, QuotesWhatNeedsQuotesAndLetsNoTextBeAFormula) {
  const Table table{.id = "t", .title = "t", .columns = {{"a,b"}, {"c"}}, .sections = {{"", {{{{"say \"x\""}, {"1\r\n2", std::numeric_limits<double>::quiet_NaN()}}}, {{{"=HYPERLINK(1)"}, {"-1.5", -1.5}}}}}}};
  EXPECT_EQ(csv(table), "section,\"a,b\",c\r\n,\"say \"\"x\"\"\",\"1\n2\"\r\n,'=HYPERLINK(1),-1.5\r\n");
}

TEST(Csv, KeepsHostileTextInItsField) {
  const std::string quoted = "\"<script>alert('x')</script> | \"\"a\"\" & b, #$%&~_^\\{} *[c](d)* `e`\nf \uFFFDg\uFFFD ± é \uFFFD\"";
  EXPECT_TRUE(csv(hostile_table()).ends_with(",n\r\n" + quoted + "," + quoted + ",1\r\n" + quoted + ",[x,*y\r\n")) << csv(hostile_table());
}

TEST(Latex, WritesGroupsSectionsAndTheBestInBold) {
  const std::string text = latex(small_table());
  EXPECT_TRUE(text.starts_with("\\begin{table}\n\\centering\n\\caption{Policies}\n\\label{tab:table-1}\n")) << text;
  EXPECT_NE(text.find("\\begin{tabular}{lrrl}\n\\hline\n"
                      "\\multicolumn{1}{c}{} & \\multicolumn{2}{c}{Easy} & \\multicolumn{1}{c}{Hard} \\\\\n"
                      "policy & time & wins & time \\\\\n\\hline\n"
                      "\\multicolumn{4}{c}{\\textbf{Set Covering}} \\\\\n"
                      "tgat & \\textbf{6.02 $\\pm$ 0.12} & 14/20 & n/a \\\\\n"
                      "pscost & 7.10 &  &  \\\\\n\\hline\n\\end{tabular}}\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("{\\footnotesize time: seconds; wins: fastest.\\par}"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("{\\footnotesize Limit: 60 s.\\par}\n\\end{table}\n")) << text;
  EXPECT_EQ(text.find("usepackage"), std::string::npos);
}

TEST(Latex, EscapesEverySpecialCharacter) {
  const Table table{.id = "a_b}", .title = "#$%&_{}~^\\ <>|[]*` – × é \u202E", .columns = {{"a"}}, .sections = {}};
  EXPECT_NE(latex(table).find("\\caption{\\#\\$\\%\\&\\_\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{} "
                              "\\textless{}\\textgreater{}\\textbar{}{[}{]}{*}{`} -- $\\times$ ? ?}\n\\label{tab:a-b-}"),
            std::string::npos)
      << latex(table);
}

TEST(Latex, OfAnyTextIsCompiledByPlainPdflatex) {
  const TemporaryDirectory directory;
  std::string all_ascii;
  for (char c = ' '; c < 0x7F; ++c) all_ascii += c;
  const Table ascii{.id = "ascii", .title = all_ascii, .note = all_ascii, .columns = {{all_ascii, all_ascii, all_ascii}}, .sections = {{all_ascii, {{{{all_ascii, {}, true}}}, {{{"[x"}}}, {{{"*y"}}}}}, {}}};
  write_file(directory.path() / "tables.tex", "\\documentclass{article}\n\\begin{document}\n" + latex(small_table()) + latex(hostile_table()) + latex(ascii) + "\\end{document}\n");
  const Finished finished = run_program({"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"}, directory.path());
  EXPECT_EQ(finished.exit_code, 0) << finished.out;
  EXPECT_TRUE(std::filesystem::exists(directory.path() / "tables.pdf")) << finished.out;
  EXPECT_EQ(finished.out.find("Missing character"), std::string::npos) << finished.out;
}

TEST(Html, WritesGroupsSectionsValuesAndTheBestInBold) {
  EXPECT_EQ(html(small_table()),
            "<figure class=\"table\" id=\"table-1\">\n<figcaption>Policies</figcaption>\n<div class=\"scroll\"><table class=\"sortable\">\n<thead>\n"
            "<tr class=\"groups\"><td colspan=\"1\"></td><th scope=\"colgroup\" colspan=\"2\">Easy</th><th scope=\"colgroup\" colspan=\"1\">Hard</th></tr>\n"
            "<tr><th scope=\"col\">policy</th><th scope=\"col\" title=\"seconds\">time</th><th scope=\"col\" title=\"fastest\">wins</th><th scope=\"col\" title=\"seconds\">time</th></tr>\n"
            "</thead>\n<tbody>\n"
            "<tr class=\"section\"><th scope=\"rowgroup\" colspan=\"4\">Set Covering</th></tr>\n"
            "<tr><th scope=\"row\">tgat</th><td data-value=\"6.0201\"><strong>6.02 ± 0.12</strong></td><td data-value=\"14\">14/20</td><td>n/a</td></tr>\n"
            "<tr><th scope=\"row\">pscost</th><td data-value=\"7.1\">7.10</td><td></td><td></td></tr>\n"
            "</tbody>\n</table></div>\n<p class=\"note\">Limit: 60 s.</p>\n</figure>\n");
}

TEST(Html, KeepsHostileTextOutOfTheMarkup) {
  const std::string escaped = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; | &quot;a&quot; &amp; b, #$%&amp;~_^\\{} *[c](d)* `e`\nf \uFFFDg\uFFFD ± é \uFFFD";
  EXPECT_EQ(html_escaped(hostile), escaped);
  const std::string text = html(hostile_table());
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find("\u202E"), std::string::npos);
  EXPECT_EQ(count(text, escaped), 10U) << "id, title, group, heading, two hints, section, two cells, note\n" << text;
}

// Overlong "/", a lone surrogate, a character beyond the last, a sequence cut short, and a valid one of four bytes.
TEST(Html, ShowsBytesThatAreNotUtf8AsReplacements) {
  const std::string r = "\uFFFD";
  EXPECT_EQ(html_escaped("\xC0\xAF"), r + r);
  EXPECT_EQ(html_escaped("\xED\xA0\x80"), r + r + r);
  EXPECT_EQ(html_escaped("\xF4\x90\x80\x80"), r + r + r + r);
  EXPECT_EQ(html_escaped("a\xE2\x82"), "a" + r + r);
  EXPECT_EQ(html_escaped("\U0001F333\u00E9"), "\U0001F333\u00E9");
  EXPECT_EQ(html_escaped("a\tb\r\nc\rd\x7F\u0085"), "a b\nc\nd" + r + r);
}

}  // namespace
}  // namespace bough::test
