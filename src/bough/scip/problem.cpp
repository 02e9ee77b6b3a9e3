// SPDX-License-Identifier: Apache-2.0
#include "bough/scip/problem.hpp"

#include <scip/cons_linear.h>

#include <algorithm>
#include <cctype>
#include <format>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/foreign_text.hpp"
#include "bough/scip/mpi_at_load.hpp"
#include "bough/scip/settings.hpp"

namespace bough {
namespace {

/// SCIP's complaint about a file as one sentence with the line number in front: "7: cannot have '*' outside of quadratic part".
std::string reader_complaint(const std::string& said) {
  static const std::regex syntax(R"(Syntax error in line (\d+) *(\('[^\n]*'\))? *:? *([^\n]*))");
  static const std::regex plain(R"(ERROR:\s*(?!Error <)([^\n]*))");
  std::smatch match;
  if (std::regex_search(said, match, syntax)) {
    std::string complaint = std::format("{}: syntax error {} {}", match[1].str(), match[2].str(), match[3].str());
    return complaint.substr(0, complaint.find_last_not_of(" .") + 1);
  }
  if (std::regex_search(said, match, plain)) return std::format(" {}", match[1].str());
  return " SCIP cannot read it";
}

/// The rows of an MPS file that are declared free; the first is the objective, readers drop the others.
std::set<std::string> free_rows(const std::string& text) {
  std::istringstream lines(text);
  std::set<std::string> names;
  bool declared_here = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('*')) continue;  // a comment, which may mention anything
    std::istringstream words(line);
    std::string first, name;
    words >> first >> name;
    if (!line.empty() && line.front() != ' ' && line.front() != '\t') {  // a section begins
      if (first == "COLUMNS") break;
      declared_here = first == "ROWS";
    } else if (declared_here && first == "N") {
      names.insert(name);
    }
  }
  return names;
}

/// SCIP's MPS reader drops an entry for a row or column that was never declared and says so only when asked to say everything.
/// That is another problem than the one meant, so it is an error.
void refuse_dropped_entries(const std::string& file, const std::string& text, const std::string& log) {
  static const std::regex warning(R"rx(Warning line (\d+): ([^\n]* for (?:row|column) "([^"\n]*)") ignored)rx");
  std::optional<std::set<std::string>> free;  // looked for at the first entry, and once
  for (std::sregex_iterator match(log.begin(), log.end(), warning), end; match != end; ++match) {
    if (!free) free = free_rows(text);
    if (free->contains((*match)[3])) continue;
    throw Error(ExitCode::bad_input, std::format("{}:{}: {} is not declared in the file", file, (*match)[1].str(), (*match)[2].str()),
                "SCIP would leave the entry out and solve another problem");
  }
}

bool mentions_objective(std::string_view text) {
  const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
  for (const std::string_view word : {"min", "max"}) {
    if (!std::ranges::search(text, word, {}, lower).empty()) return true;
  }
  return false;
}

bool has_nonlinear_constraint(SCIP* scip) {
  const std::span conss(SCIPgetOrigConss(scip), static_cast<std::size_t>(SCIPgetNOrigConss(scip)));
  return std::ranges::any_of(conss, [](SCIP_CONS* cons) { return std::string_view(SCIPconshdlrGetName(SCIPconsGetHdlr(cons))) == "nonlinear"; });
}

double to_scip(SCIP* scip, double value) {
  return value == Milp::infinity ? SCIPinfinity(scip) : value == -Milp::infinity ? -SCIPinfinity(scip) : value;
}

}  // namespace

void read_problem(SCIP* scip, const std::filesystem::path& path) {
  const std::string name = path.string();
  // SCIP reads on after a cut-off gzip stream and takes noise for an empty LP file; so the bytes are looked at first.
  const std::string text = read_file(path);
  if (compression_of(path) == "zstd") {  // SCIP would take the packed bytes for the instance
    throw Error(ExitCode::bad_input, std::format("{}: compressed by zstd, which SCIP does not read", name), "unpack it with 'zstd -d', or use gzip");
  }
  if (text.empty()) throw Error(ExitCode::bad_input, std::format("{}: the file is empty", name));
  if (text.find('\0') != std::string::npos) {
    throw Error(ExitCode::bad_input, std::format("{}: this is binary data, not an instance", name), "expected .mps, .lp or .cip, plain or .gz");
  }

  take_scip_errors();
  const std::string ending = ending_of(path);
  const std::string format = ending.empty() ? ending : ending.substr(1);  // "mps"
  SCIP_RETCODE code = SCIP_OKAY;
  {
    const ScopedParam everything(scip, "display/verblevel", "5");
    const CapturedLog log(scip);
    code = SCIPreadProb(scip, path.c_str(), format.empty() ? nullptr : format.c_str());
    if (code == SCIP_OKAY && format == "mps") refuse_dropped_entries(name, text, log.text());
  }
  const std::string said = take_scip_errors();
  if (code == SCIP_PLUGINNOTFOUND) {
    throw Error(ExitCode::bad_input, std::format("{}: SCIP has no reader for '.{}' files", name, format), "expected .mps, .lp or .cip, plain or .gz");
  }
  if (code != SCIP_OKAY) throw Error(ExitCode::bad_input, std::format("{}:{}", name, reader_complaint(said)));
  if (SCIPgetStage(scip) != SCIP_STAGE_PROBLEM) {
    throw Error(ExitCode::bad_input, std::format("{}: the file was read, but it holds no problem", name));
  }
  if (has_nonlinear_constraint(scip)) start_mpi();
  if (SCIPgetNOrigVars(scip) == 0 && SCIPgetNOrigConss(scip) == 0 && format == "lp" && !mentions_objective(text)) {
    throw Error(ExitCode::bad_input, std::format("{}: no objective, no variable and no constraint in it", name), "is it really an LP file?");
  }
}

void load_problem(SCIP* scip, const Milp& milp) {
  check(SCIPcreateProbBasic(scip, milp.name.c_str()));
  check(SCIPsetObjsense(scip, milp.maximize ? SCIP_OBJSENSE_MAXIMIZE : SCIP_OBJSENSE_MINIMIZE));
  if (milp.objective_offset != 0) check(SCIPaddOrigObjoffset(scip, milp.objective_offset));

  std::vector<VarPtr> variables;  // (n_variables)
  variables.reserve(milp.variables.size());
  for (const auto& v : milp.variables) {
    const SCIP_VARTYPE type = v.type == Milp::VarType::binary    ? SCIP_VARTYPE_BINARY
                              : v.type == Milp::VarType::integer ? SCIP_VARTYPE_INTEGER
                                                                 : SCIP_VARTYPE_CONTINUOUS;
    SCIP_VAR* var = nullptr;
    check(SCIPcreateVarBasic(scip, &var, v.name.c_str(), to_scip(scip, v.lower), to_scip(scip, v.upper), v.objective, type));
    variables.emplace_back(var, Release{scip});
    check(SCIPaddVar(scip, var));
  }

  std::vector<SCIP_VAR*> row_vars;
  std::vector<double> row_values;
  for (std::size_t i = 0; i < milp.rows.size(); ++i) {
    row_vars.clear();
    row_values.clear();
    for (const auto& [column, value] : milp.row(i)) {
      row_vars.push_back(variables[static_cast<std::size_t>(column)].get());
      row_values.push_back(value);
    }
    SCIP_CONS* raw = nullptr;
    check(SCIPcreateConsBasicLinear(scip, &raw, milp.rows[i].name.c_str(), static_cast<int>(row_vars.size()), row_vars.data(),
                                    row_values.data(), to_scip(scip, milp.rows[i].lhs), to_scip(scip, milp.rows[i].rhs)));
    const ConsPtr cons(raw, Release{scip});
    check(SCIPaddCons(scip, raw));
  }
}

}  // namespace bough
