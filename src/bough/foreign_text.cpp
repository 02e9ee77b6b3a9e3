// SPDX-License-Identifier: Apache-2.0
#include "bough/foreign_text.hpp"

#include <algorithm>
#include <cctype>
#include <format>
#include <nlohmann/json.hpp>

#include "bough/error.hpp"

namespace bough {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  const std::string shown(text.substr(0, longest));
  return nlohmann::json(shown).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + (text.size() > longest ? "..." : "");
}

std::string printable(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return text;
}

bool is_shallow_object(std::string_view text) {
  constexpr int deepest = 32;
  bool shallow = true;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return shallow = shallow && depth <= deepest; };
  const auto json = nlohmann::json::parse(text, watch, /*allow_exceptions=*/false);
  return shallow && json.is_object();
}

void require_utf8(const std::filesystem::path& name) {
  try {
    (void)nlohmann::json(name.string()).dump();
  } catch (const nlohmann::json::type_error&) {
    throw Error(ExitCode::bad_input, std::format("{}: a name that is not valid UTF-8 cannot go into a record", name.string()), "rename it");
  }
}

std::string ending_of(const std::filesystem::path& path) {
  const auto lower = [](std::string ending) {
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
  };
  const std::string last = lower(path.extension().string());
  return last == ".gz" ? lower(path.stem().extension().string()) : last;
}

}  // namespace bough
