// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace bough::cli {

/// Colour and cursor movement only where a person looks at a terminal, and never under NO_COLOR.
bool is_terminal(FILE* stream);
std::string bold(std::string_view text, FILE* stream);
std::string dim(std::string_view text, FILE* stream);

/// "1.23 s", "4 min 05 s".
std::string duration_text(double seconds);

/// "3 lp_error, 1 limit".
std::string counts_text(const std::map<std::string, std::int64_t>& counts);

/// Numbers for people: ten significant digits, "-" for infinity.
std::string number_text(double value);

/// Indented JSON and a newline.  A file name need not be valid UTF-8; JSON must be, so other bytes become U+FFFD.
std::string json_text(const nlohmann::ordered_json& value);

/// Prints to stdout and makes sure it got there: a full disk or a closed pipe behind stdout is an Error (cannot_write).
void print_result(std::string_view text);

/// Writes to stderr.  Nobody may be listening any more (a closed terminal, `| head`, a full disk): that must not end hours of work.
void tell(std::string_view text) noexcept;
/// "bough: ..." on a line of its own.
void tell_line(std::string_view text);

/// "evaluating 3/20, tgat, 1.5/min, 11 min 20 s left": what is done after `elapsed_s`, `already` of it before that: they say nothing about
/// the time that is left, and while there are no others nor does this.
std::string progress_text(std::string_view what, std::size_t done, std::size_t total, std::size_t already, double elapsed_s, std::string_view detail = {});

/// The text if it is shorter than a row of `width` columns; otherwise its beginning and its end.
std::string fitting(const std::string& text, std::size_t width);

/// Progress of a job on stderr: one line that is redrawn on a terminal, a line every 10 s otherwise, nothing in the first two
/// seconds and nothing at all if `quiet`.
class Progress {
 public:
  /// `already` of the total were done before.
  Progress(std::string what, std::size_t total, bool quiet, std::size_t already = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `detail` is shown beside the count.
  void advance(std::size_t done, std::string_view detail = {});

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  std::size_t total_;
  bool quiet_;
  std::size_t already_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace bough::cli
