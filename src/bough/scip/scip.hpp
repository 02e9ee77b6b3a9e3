// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <scip/scip.h>

#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>

namespace bough {

struct ScipDeleter {
  void operator()(SCIP* scip) const noexcept;
};
/// Owns a SCIP instance.  Everywhere else a `SCIP*` is a view.
using ScipPtr = std::unique_ptr<SCIP, ScipDeleter>;

/// Receives what SCIP says, text as it comes (lines may arrive in pieces).
using LogSink = std::function<void(std::string_view)>;

/// A SCIP instance with all default plugins.  Its messages go to `log`, nowhere if empty; never to stdout.
ScipPtr create_scip(LogSink log = {});

/// Throws Error (failure) unless SCIP_OKAY, with what SCIP wrote about it and the place of the call.
void check(SCIP_RETCODE code, std::source_location where = std::source_location::current());

/// What SCIP wrote to its error stream on this thread since the last call.  SCIP has one error stream per process and prints to
/// stderr; here it is collected, so that it can become part of an Error or of a run's log.
std::string take_scip_errors();

/// While it lives, collects what `scip` says (create_scip's log does not get it).
class CapturedLog {
 public:
  explicit CapturedLog(SCIP* scip);
  ~CapturedLog();
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  SCIP* scip_;
  std::string text_;
  LogSink outer_;
};

/// Owns one reference to a variable or a constraint.
struct Release {
  SCIP* scip = nullptr;
  void operator()(SCIP_VAR* var) const noexcept;
  void operator()(SCIP_CONS* cons) const noexcept;
};
using VarPtr = std::unique_ptr<SCIP_VAR, Release>;
using ConsPtr = std::unique_ptr<SCIP_CONS, Release>;

/// Runs the body of a SCIP callback: an exception must not cross SCIP's C code, so it is kept in `error` for the caller of
/// SCIPsolve to rethrow, and SCIP is told to stop.
template <class Body>
SCIP_RETCODE guarded(std::exception_ptr& error, Body&& body) noexcept {
  try {
    body();
    return SCIP_OKAY;
  } catch (...) {
    if (!error) error = std::current_exception();
    return SCIP_ERROR;
  }
}

}  // namespace bough
