// SPDX-License-Identifier: Apache-2.0
#include "bough/instance/write.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <string>
#include <unordered_set>
#include <vector>

#include "bough/error.hpp"
#include "bough/file.hpp"

namespace bough {
namespace {

/// Collects text and passes it on in large pieces.
class TextOut {
 public:
  explicit TextOut(AtomicFile& file) : file_(file) {}

  TextOut& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= 1U << 20) flush();
    return *this;
  }
  TextOut& operator<<(double value) {
    std::array<char, 32> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return *this << std::string_view(digits.data(), end);
  }
  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

 private:
  AtomicFile& file_;
  std::string buffer_;
};

/// The matrix by columns, which MPS wants: entries of column j are start[j] .. start[j + 1].
struct ByColumn {
  std::vector<std::size_t> start;    // (n_variables + 1)
  std::vector<Milp::Entry> entries;  // (n_nonzeros)  .column holds the row here
};

ByColumn transpose(const Milp& milp) {
  ByColumn t{std::vector<std::size_t>(milp.variables.size() + 1, 0), std::vector<Milp::Entry>(milp.entries.size())};
  for (const auto& entry : milp.entries) ++t.start[static_cast<std::size_t>(entry.column) + 1];
  for (std::size_t j = 1; j < t.start.size(); ++j) t.start[j] += t.start[j - 1];
  std::vector<std::size_t> next(t.start.begin(), t.start.end() - 1);
  for (std::size_t i = 0; i < milp.rows.size(); ++i) {
    for (const auto& [column, value] : milp.row(i)) t.entries[next[static_cast<std::size_t>(column)]++] = {static_cast<int>(i), value};
  }
  return t;
}

bool finite(double side) { return side != Milp::infinity && side != -Milp::infinity; }

char sense_of(const Milp::Row& row) {
  if (!finite(row.lhs)) return finite(row.rhs) ? 'L' : 'N';
  return row.lhs == row.rhs ? 'E' : finite(row.rhs) ? 'R' : 'G';  // R: a range, written as L plus RANGES
}

void write_mps_bounds(TextOut& out, const Milp::Variable& v) {
  const auto bound = [&](std::string_view kind, double value) { out << " " << kind << " BND " << v.name << " " << value << "\n"; };
  if (v.type == Milp::VarType::binary && v.lower == 0 && v.upper == 1) {
    out << " BV BND " << v.name << "\n";
  } else if (v.lower == v.upper) {
    bound("FX", v.lower);
  } else if (!finite(v.lower) && !finite(v.upper)) {
    out << " FR BND " << v.name << "\n";
  } else {
    if (!finite(v.lower)) out << " MI BND " << v.name << "\n";
    if (finite(v.lower) && v.lower != 0) bound("LO", v.lower);
    if (finite(v.upper)) bound("UP", v.upper);
    // A marked integer column without an upper bound is read as binary by some readers; PL says otherwise.
    if (!finite(v.upper) && v.type != Milp::VarType::continuous) out << " PL BND " << v.name << "\n";
  }
}

void write_mps(const Milp& milp, TextOut& out) {
  out << "NAME " << milp.name << "\n";
  if (milp.maximize) out << "OBJSENSE\n    MAX\n";
  out << "ROWS\n N obj\n";
  for (const auto& row : milp.rows) {
    const char sense = sense_of(row) == 'R' ? 'L' : sense_of(row);
    out << " " << std::string_view(&sense, 1) << " " << row.name << "\n";
  }

  out << "COLUMNS\n";
  const ByColumn by_column = transpose(milp);
  bool in_integers = false;
  const auto mark = [&](bool integers) {
    if (integers == in_integers) return;
    out << (integers ? " MARKER 'MARKER' 'INTORG'\n" : " MARKER 'MARKER' 'INTEND'\n");
    in_integers = integers;
  };
  for (std::size_t j = 0; j < milp.variables.size(); ++j) {
    const auto& v = milp.variables[j];
    mark(v.type != Milp::VarType::continuous);
    const std::size_t begin = by_column.start[j];
    const std::size_t end = by_column.start[j + 1];
    if (v.objective != 0 || begin == end) out << " " << v.name << " obj " << v.objective << "\n";
    for (std::size_t k = begin; k < end; ++k) {
      const auto& [row, value] = by_column.entries[k];
      out << " " << v.name << " " << milp.rows[static_cast<std::size_t>(row)].name << " " << value << "\n";
    }
  }
  mark(false);

  out << "RHS\n";
  if (milp.objective_offset != 0) out << " RHS obj " << -milp.objective_offset << "\n";
  for (const auto& row : milp.rows) {
    const double side = finite(row.rhs) ? row.rhs : row.lhs;
    if (finite(side) && side != 0) out << " RHS " << row.name << " " << side << "\n";
  }
  bool any_range = false;
  for (const auto& row : milp.rows) {
    if (sense_of(row) != 'R') continue;
    if (!any_range) out << "RANGES\n";
    any_range = true;
    out << " RNG " << row.name << " " << row.rhs - row.lhs << "\n";
  }
  out << "BOUNDS\n";
  for (const auto& v : milp.variables) write_mps_bounds(out, v);
  out << "ENDATA\n";
}

/// "+ 2 x - y": a sum, broken into lines that every LP reader accepts.
class LpSum {
 public:
  explicit LpSum(TextOut& out) : out_(out) {}
  void add(double coefficient, std::string_view name) {
    if (++n_terms_ % 10 == 0) out_ << "\n  ";
    out_ << (coefficient < 0 ? " - " : n_terms_ == 1 ? " " : " + ");
    const double size = coefficient < 0 ? -coefficient : coefficient;
    if (size != 1) out_ << size << " ";
    out_ << name;
  }

 private:
  TextOut& out_;
  int n_terms_ = 0;
};

bool reads_as_number(std::string_view name) {
  const auto digit = [](char c) { return std::string_view("0123456789.").contains(c); };
  const bool exponent = name.front() == 'e' || name.front() == 'E';
  return digit(name.front()) || (exponent && (name.size() == 1 || digit(name[1])));
}

/// Names as LP format can hold them: '-' and other signs that mean something there become '_', and what would then be equal, or
/// read as a number, gets its index behind.
std::vector<std::string> lp_names(const auto& items) {
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  for (const auto& item : items) {
    std::string name = item.name;
    std::ranges::replace_if(name, [](char c) { return std::string_view("+-*/^<>=:[]\\ \t").contains(c); }, '_');
    if (name.empty() || reads_as_number(name)) name = "_" + name;
    if (!taken.insert(name).second) {
      name += std::format("_{}", names.size());
      taken.insert(name);
    }
    names.push_back(std::move(name));
  }
  return names;
}

void write_lp_row(TextOut& out, const Milp& milp, std::size_t i, std::string_view name, const std::vector<std::string>& variable_names) {
  const auto& row = milp.rows[i];
  const char sense = sense_of(row);
  if (sense == 'N') return;  // no side: says nothing
  const auto line = [&](std::string_view suffix, std::string_view relation, double side) {
    out << " " << name << suffix << ":";
    LpSum sum(out);
    for (const auto& [column, value] : milp.row(i)) sum.add(value, variable_names[static_cast<std::size_t>(column)]);
    if (milp.row(i).empty()) out << " 0 " << variable_names.front();  // the format has no empty sum
    out << " " << relation << " " << side << "\n";
  };
  if (sense == 'R') line("_low", ">=", row.lhs);
  if (sense == 'E') line("", "=", row.rhs);
  if (sense == 'G') line("", ">=", row.lhs);
  if (sense == 'L' || sense == 'R') line("", "<=", row.rhs);
}

void write_lp(const Milp& milp, TextOut& out) {
  const std::vector<std::string> names = lp_names(milp.variables);
  const std::vector<std::string> row_names = lp_names(milp.rows);
  out << "\\ " << milp.name << "\n" << (milp.maximize ? "Maximize\n" : "Minimize\n") << " obj:";
  LpSum objective(out);
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (milp.variables[j].objective != 0) objective.add(milp.variables[j].objective, names[j]);
  }
  if (milp.objective_offset != 0) out << (milp.objective_offset < 0 ? " " : " + ") << milp.objective_offset;
  out << "\nSubject To\n";
  for (std::size_t i = 0; i < milp.rows.size(); ++i) write_lp_row(out, milp, i, row_names[i], names);
  out << "Bounds\n";
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto& v = milp.variables[j];
    if (v.type == Milp::VarType::binary && v.lower == 0 && v.upper == 1) continue;
    if (!finite(v.lower) && !finite(v.upper)) {
      out << " " << names[j] << " free\n";
      continue;
    }
    out << " ";
    if (finite(v.lower)) out << v.lower; else out << "-inf";
    out << " <= " << names[j] << " <= ";
    if (finite(v.upper)) out << v.upper; else out << "+inf";
    out << "\n";
  }
  const auto section = [&](std::string_view title, Milp::VarType type) {
    bool any = false;
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (milp.variables[j].type != type) continue;
      if (!any) out << title << "\n";
      any = true;
      out << " " << names[j] << "\n";
    }
  };
  section("Binaries", Milp::VarType::binary);
  section("Generals", Milp::VarType::integer);
  out << "End\n";
}

}  // namespace

void write_milp(const Milp& milp, const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const bool mps = name.ends_with(".mps") || name.ends_with(".mps.gz");
  const bool lp = name.ends_with(".lp") || name.ends_with(".lp.gz");
  if (!mps && !lp) {
    throw Error(ExitCode::usage, std::format("{}: cannot write this format", path.string()), "formats: mps, mps.gz, lp, lp.gz");
  }
  AtomicFile file(path);
  TextOut out(file);
  if (mps) {
    write_mps(milp, out);
  } else {
    write_lp(milp, out);
  }
  out.flush();
  file.commit();
}

}  // namespace bough
