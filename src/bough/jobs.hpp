// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bough/error.hpp"

namespace bough {

/// How a job in a child process ended.
struct JobEnd {
  enum class Kind {
    done,     ///< the body returned; `text` is what it returned
    failed,   ///< the body threw an Error; `text`, `hint` and `code` are its own
    crashed,  ///< a signal of its own making, an exit without a result, or an exception that is no Error (out of memory)
    killed,   ///< somebody else's SIGKILL or SIGTERM
    hung,     ///< it was over its time limit and was ended
  };
  Kind kind = Kind::done;
  std::string text;
  std::string hint;
  ExitCode code = ExitCode::ok;
};

/// Runs a list of independent jobs, each in a child process of its own, several at a time: a crash, a leak or a hang costs one job.
///
/// Children are forked, not executed anew: loading SCIP's libraries takes longer than many a job.  They ignore SIGINT and SIGTERM
/// (the parent decides) and die with their parent, however it dies.  The caller must be single-threaded.
struct JobRunner {
  int n_workers = 1;
  double time_limit_s = 0;        ///< a job past this is ended as hung; 0: none
  bool pinned = false;            ///< each worker stays on a core that no other such worker on this machine has, if one is left and the machine allows it
  std::size_t memory_limit_mb = 0;  ///< of private memory of a job; 0: none

  /// The next job to start, or nothing for now; asked whenever a worker is free.
  std::function<std::optional<std::size_t>()> next;
  /// Runs in the child.  `send` passes a message to the parent at once; an empty one only starts the job's clock anew.
  std::function<std::string(std::size_t job, const std::function<void(std::string_view)>& send)> body;
  std::function<void(std::size_t job, std::string_view message)> on_message;
  std::function<void(std::size_t job, const JobEnd&)> on_end;
  std::function<void()> on_tick;  ///< about once a second while jobs run
  /// Asked several times a second: once it says true, running jobs are killed, without on_end(), and run() returns.
  std::function<bool()> stop;

  /// Returns when next() has nothing more and every job has ended, or at a stop.  An exception from a callback kills the jobs and
  /// passes on.
  void run();
};

}  // namespace bough
