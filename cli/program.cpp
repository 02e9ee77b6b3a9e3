// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <format>
#include <new>
#include <ranges>
#include <string>
#include <string_view>

#include "bough/foreign_text.hpp"
#include "bough/stop.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

/// Messages may quote files of anybody, and have several lines.
std::string shown(std::string_view message) {
  std::string text;
  for (const auto line : std::views::split(message, '\n')) text += (text.empty() ? "" : "\n") + printable(std::string(line.begin(), line.end()));
  return text;
}

int report(const Error& error) {
  tell_line(shown(error.what()));
  if (!error.hint().empty()) tell(std::format("       {}\n", shown(error.hint())));
  return static_cast<int>(error.code());
}

/// Somebody may start us with a standard stream closed.  The first file we open would get its number, and our messages.
void occupy_standard_streams() {
  int fd = 0;
  do { fd = ::open("/dev/null", O_RDWR); } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) (void)::close(fd);
}

}  // namespace

ExitCode unless_stopped(ExitCode otherwise) { return stop_signal() == 0 ? otherwise : static_cast<ExitCode>(128 + stop_signal()); }

int run_program(const std::function<ExitCode()>& program) {
  occupy_standard_streams();
  catch_stop_signals();
  std::signal(SIGCHLD, SIG_DFL);  // whoever starts us may ignore it: the system would then not tell how our children ended
  std::signal(SIGPIPE, SIG_IGN);  // `bough ... | head` shall end with a message, not silently in the middle of a file
  try {
    return static_cast<int>(program());
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(Error(ExitCode::failure, "out of memory"));
  } catch (const std::filesystem::filesystem_error& error) {  // a name too long, a directory that may not be searched, a loop of links
    return report(Error(ExitCode::failure, std::format("cannot reach {}: {}", error.path1().string(), error.code().message())));
  } catch (const std::exception& error) {
    return report(Error(ExitCode::failure, std::string("internal error: ") + error.what(), "please report it"));
  }
}

}  // namespace bough::cli
