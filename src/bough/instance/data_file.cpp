// SPDX-License-Identifier: Apache-2.0
#include "bough/instance/data_file.hpp"

#include <charconv>
#include <format>

#include "bough/error.hpp"
#include "bough/file.hpp"

namespace bough {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

template <class Number>
Number parse(NumberReader& in, std::string_view what, Number low, Number high) {
  const std::string_view token = in.token();
  if (token.empty()) in.fail(std::format("the file ends where {} should be", what));
  Number value{};
  const bool plus = token.starts_with('+') && !token.starts_with("+-");  // from_chars knows no leading plus
  const char* begin = token.data() + (plus ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, token.data() + token.size(), value);
  if (error == std::errc{} && end == token.data() + token.size() && value >= low && value <= high) return value;
  in.fail(std::format("expected {} from {} to {}, got '{}'", what, low, high, token.substr(0, 40)));
}

}  // namespace

NumberReader::NumberReader(const std::filesystem::path& path) : path_(path), text_(read_file(path)) {}

std::string_view NumberReader::token() {
  while (at_ < text_.size() && is_space(text_[at_])) line_ += text_[at_++] == '\n' ? 1 : 0;
  token_line_ = line_;
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
  return std::string_view(text_).substr(begin, at_ - begin);
}

int NumberReader::integer(std::string_view what, int low, int high) {
  // OR-Library writes some whole numbers as "16." or "5000.0000"; accept them when they are whole.
  const double value = parse<double>(*this, what, low, high);
  if (value != static_cast<double>(static_cast<int>(value))) fail(std::format("expected {}, a whole number, got {}", what, value));
  return static_cast<int>(value);
}

double NumberReader::real(std::string_view what, double low, double high) { return parse<double>(*this, what, low, high); }

void NumberReader::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
}

void NumberReader::expect_end() {
  if (const std::string_view rest = token(); !rest.empty()) fail(std::format("expected the end of the file, got '{}'", rest.substr(0, 40)));
}

void NumberReader::fail(const std::string& complaint) const {
  throw Error(ExitCode::bad_input, std::format("{}:{}: {}", path_.string(), token_line_, complaint));
}

}  // namespace bough
