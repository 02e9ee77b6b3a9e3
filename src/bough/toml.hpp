// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <format>
#include <string>
#include <string_view>
#include <toml++/toml.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "bough/error.hpp"
#include "bough/file.hpp"

namespace bough {

/// Reads a TOML file, at most a megabyte of it.  Throws Error: missing_input, bad_input with file and line.
inline toml::table read_toml(const std::filesystem::path& path) {
  try {
    return toml::parse(read_file(path, std::size_t{1} << 20U));
  } catch (const toml::parse_error& error) {
    throw Error(ExitCode::bad_input, std::format("{}:{}: not TOML: {}", path.string(), error.source().begin.line, error.description()));
  }
}

/// Reads the values of one table into fields.  A key that is not there leaves its field as it is; a value of another type or out of range is an
/// Error (bad_input) with file and line.
class TomlReader {
 public:
  TomlReader(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

  template <class Field>
  void operator()(std::string_view key, Field& field) {
    const toml::node* node = find(key);
    if (node != nullptr) take(key, *node, field);
  }
  /// A choice: one of `names`.
  template <class Field, class Names>
  void operator()(std::string_view key, Field& field, const Names& names) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto value = exact<std::string>(key, *node, "text in quotes");
    const auto at = std::ranges::find(names, value);
    if (at == names.end()) refuse(*node, std::format("{} \"{}\" is not known; there are {}", key, value, listed(names)));
    field = static_cast<Field>(at - names.begin());
  }
  /// The value itself, for what is no plain field; nullptr if it is not there.
  const toml::node* find(std::string_view key) {
    if (!std::ranges::contains(known_, key)) known_.push_back(key);
    return table_.get(key);
  }
  /// A key that may not be missing.
  const toml::node& need(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) refuse(table_, std::format("no \"{}\"", key));
    return *node;
  }
  /// A table among the values.
  TomlReader table(std::string_view key, const toml::node& node) const {
    if (!node.is_table()) refuse(node, std::format("{}: expected a table", key));
    return {*node.as_table(), file_};
  }
  /// Calls visit(node) for every element of an array.
  template <class Visit>
  void each(std::string_view key, const toml::node& node, Visit&& visit) const {
    if (!node.is_array()) refuse(node, std::format("{}: expected a list", key));
    for (const toml::node& element : *node.as_array()) visit(element);
  }
  template <class Field>
  void take(std::string_view key, const toml::node& node, Field& field) const {
    if constexpr (std::is_same_v<Field, bool>) {
      field = exact<bool>(key, node, "true or false");
    } else if constexpr (std::is_same_v<Field, std::string>) {
      field = exact<std::string>(key, node, "text in quotes");
    } else if constexpr (std::is_floating_point_v<Field>) {
      const auto value = node.value<double>();
      if (!value || node.is_boolean()) refuse(node, std::format("{}: expected a number", key));
      field = *value;
    } else {
      const auto value = exact<std::int64_t>(key, node, "a whole number");
      if (!std::in_range<Field>(value)) refuse(node, std::format("{} = {} is out of range", key, value));
      field = static_cast<Field>(value);
    }
  }

  /// Runs what may throw an Error of its own; that becomes one of this file and line.
  template <class Call>
  auto at(const toml::node& node, Call&& call) const {
    try {
      return call();
    } catch (const Error& error) {
      refuse(node, error.what(), error.hint(), error.code() == ExitCode::missing_input ? ExitCode::missing_input : ExitCode::bad_input);
    }
  }

  /// After all keys were asked for.
  void refuse_others() const {
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(known_, key.str()) == known_.end()) refuse(node, std::format("unknown key \"{}\"", key.str()), "known keys: " + listed(known_));
    }
  }
  [[noreturn]] void refuse(const toml::node& node, const std::string& what, const std::string& hint = {}, ExitCode code = ExitCode::bad_input) const {
    throw Error(code, std::format("{}:{}: {}", file_, std::max<toml::source_index>(1, node.source().begin.line), what), hint);
  }
  [[nodiscard]] const toml::table& raw() const { return table_; }

 private:
  template <class Names>
  static std::string listed(const Names& names) {
    std::string text;
    for (const auto& name : names) text += std::format("{}{}", text.empty() ? "" : ", ", name);
    return text;
  }
  template <class T>
  T exact(std::string_view key, const toml::node& node, std::string_view expected) const {
    const auto value = node.value_exact<T>();
    if (!value) refuse(node, std::format("{}: expected {}", key, expected));
    return *value;
  }

  const toml::table& table_;
  std::string file_;
  std::vector<std::string_view> known_;
};

}  // namespace bough
