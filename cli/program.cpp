// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <csignal>
#include <exception>
#include <format>
#include <new>
#include <string>

#include "bough/stop.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

int report(const Error& error) {
  tell_line(error.what());
  if (!error.hint().empty()) tell(std::format("       {}\n", error.hint()));
  return static_cast<int>(error.code());
}

}  // namespace

ExitCode unless_stopped(ExitCode otherwise) { return stop_signal() == 0 ? otherwise : static_cast<ExitCode>(128 + stop_signal()); }

int run_program(const std::function<ExitCode()>& program) {
  catch_stop_signals();
  std::signal(SIGPIPE, SIG_IGN);  // `bough ... | head` shall end with a message, not silently in the middle of a file
  try {
    return static_cast<int>(program());
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(Error(ExitCode::failure, "out of memory"));
  } catch (const std::exception& error) {
    return report(Error(ExitCode::failure, std::string("internal error: ") + error.what(), "please report it"));
  }
}

}  // namespace bough::cli
