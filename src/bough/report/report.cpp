// SPDX-License-Identifier: Apache-2.0
#include "bough/report/report.hpp"

#include "bough/file.hpp"
#include "bough/journal.hpp"
#include "bough/report/page.hpp"
#include "bough/report/table.hpp"
#include "bough/report/tables.hpp"

namespace bough {

std::vector<std::filesystem::path> write_report(std::span<const Evaluation> evaluations, const std::filesystem::path& output) {
  make_directories(output);
  std::vector<std::filesystem::path> written;
  const auto write = [&](const std::string& name, const std::string& text) {
    write_file(output / name, text);
    written.push_back(output / name);
  };
  write("index.html", page_html(evaluations));
  for (const Table& table : report_tables(evaluations)) {
    write(table.id + ".md", markdown(table));
    write(table.id + ".csv", csv(table));
    write(table.id + ".tex", latex(table));
  }
  return written;
}

}  // namespace bough
