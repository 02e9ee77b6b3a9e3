// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <format>
#include <nlohmann/json.hpp>

#include "bough/error.hpp"
#include "bough/foreign_text.hpp"

namespace bough::cli {
namespace {

std::string styled(std::string_view text, FILE* stream, std::string_view code) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool plain = !is_terminal(stream) || (no_color != nullptr && *no_color != '\0');
  return plain ? std::string(text) : std::format("\033[{}m{}\033[0m", code, text);
}

/// Columns of the terminal behind stderr.
std::size_t width_of_terminal() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

bool is_terminal(FILE* stream) { return ::isatty(::fileno(stream)) == 1; }
std::string bold(std::string_view text, FILE* stream) { return styled(text, stream, "1"); }
std::string dim(std::string_view text, FILE* stream) { return styled(text, stream, "2"); }

std::string duration_text(double seconds) {
  if (seconds < 120) return std::format("{:.2f} s", seconds);
  const auto whole = static_cast<long long>(seconds);
  if (whole < 7200) return std::format("{} min {:02} s", whole / 60, whole % 60);
  return std::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string counts_text(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [name, n] : counts) text += std::format("{}{} {}", text.empty() ? "" : ", ", n, name);
  return text;
}

std::string number_text(double value) { return std::isfinite(value) ? std::format("{:.10g}", value) : "-"; }

std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_result(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(ExitCode::cannot_write, std::format("cannot write to standard output: {}", std::strerror(errno)));
  }
}

void tell(std::string_view text) noexcept {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

void tell_line(std::string_view text) { tell(std::format("{} {}\n", bold("bough:", stderr), text)); }

std::string progress_text(std::string_view what, std::size_t done, std::size_t total, std::size_t already, double elapsed_s, std::string_view detail) {
  const std::string begun = std::format("{} {}/{}{}{}", what, done, total, detail.empty() ? "" : ", ", detail);
  if (done <= already) return begun;
  const auto n_new = static_cast<double>(done - already);
  const double left = elapsed_s * static_cast<double>(total - std::min(done, total)) / n_new;
  const double rate = n_new / elapsed_s;
  const std::string speed = rate < 1 ? std::format("{:.1f}/min", 60 * rate) : std::format("{:.1f}/s", rate);
  return std::format("{}, {}, {} left", begun, speed, duration_text(left));
}

std::string fitting(const std::string& text, std::size_t width) {
  if (text.size() < width) return text;  // a full row would already make the terminal begin another one
  constexpr std::size_t tail = 40;       // how much is left stands at the end
  if (width <= tail + 10) return text.substr(0, width - 1);
  return text.substr(0, width - 1 - tail - 3) + "..." + text.substr(text.size() - tail);
}

Progress::Progress(std::string what, std::size_t total, bool quiet, std::size_t already)
    : what_(std::move(what)), total_(total), quiet_(quiet), already_(already) {}

Progress::~Progress() {
  if (drawn_ && is_terminal(stderr)) tell("\r\033[K");
}

void Progress::advance(std::size_t done, std::string_view detail) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  const bool terminal = is_terminal(stderr);
  if (quiet_ || now - start_ < 2s || now - last_ < (terminal ? 100ms : 10'000ms)) return;
  last_ = now;
  drawn_ = true;
  const std::string text = printable(progress_text(what_, done, total_, already_, std::chrono::duration<double>(now - start_).count(), detail));
  tell(terminal ? std::format("\r\033[K{}", fitting(text, width_of_terminal())) : text + "\n");
}

}  // namespace bough::cli
