// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bough {

/// A mixed-integer linear program as plain data:  min (or max) c'x  subject to  lhs <= A x <= rhs,  lower <= x <= upper.
/// Infinite sides and bounds are +-infinity.  Rows are stored one after the other (CSR); an empty row is allowed.
struct Milp {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  enum class VarType { binary, integer, continuous };

  struct Variable {
    std::string name;
    double objective = 0;
    double lower = 0;
    double upper = infinity;
    VarType type = VarType::continuous;
  };

  struct Row {
    std::string name;
    double lhs = -infinity;
    double rhs = infinity;
  };

  struct Entry {
    int column;
    double value;
  };

  std::string name;
  bool maximize = false;
  double objective_offset = 0;
  std::vector<Variable> variables;          // (n_variables)
  std::vector<Row> rows;                    // (n_rows)
  std::vector<std::size_t> row_start{0};    // (n_rows + 1)  row i owns entries row_start[i] .. row_start[i + 1]
  std::vector<Entry> entries;               // (n_nonzeros)

  /// Appends a variable and returns its column.
  int add_variable(Variable variable) {
    variables.push_back(std::move(variable));
    return static_cast<int>(variables.size()) - 1;
  }

  int add_binary(std::string variable_name, double objective) {
    return add_variable({std::move(variable_name), objective, 0, 1, VarType::binary});
  }

  /// Opens a row; add_entry() appends to the row opened last.
  int add_row(std::string row_name, double lhs, double rhs) {
    rows.push_back({std::move(row_name), lhs, rhs});
    row_start.push_back(entries.size());
    return static_cast<int>(rows.size()) - 1;
  }

  void add_entry(int column, double value) {
    assert(column >= 0 && static_cast<std::size_t>(column) < variables.size());
    assert(!rows.empty());
    entries.push_back({column, value});
    row_start.back() = entries.size();
  }

  [[nodiscard]] std::span<const Entry> row(std::size_t i) const {
    return std::span(entries).subspan(row_start[i], row_start[i + 1] - row_start[i]);
  }
};

}  // namespace bough
