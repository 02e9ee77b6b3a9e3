// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "bough/branch/solve.hpp"
#include "bough/evaluate/record.hpp"
#include "bough/evaluate/suite.hpp"

namespace bough {

struct EvaluateProgress {
  std::size_t n_done = 0;  ///< runs with a record, of this call and of those before
  std::size_t n_runs = 0;
  std::string detail;      ///< in words: what ended last, or, about once a second, what is running, for how long and with which gap; empty at the start
  std::optional<RunRecord> record{};  ///< of the run that ended, if it was one that counts
};

struct EvaluateRequest {
  Suite suite;
  std::filesystem::path output;
  int n_workers = 1;
  bool retry = false;            ///< run again what failed or crashed
  double overtime_slack_s = 10;  ///< a run is ended a tenth of its limit past it, or this if that is more: reading and checking take time too
  std::function<SolveResult(const SolveRequest&)> solve = solve_file;
  std::function<void(const EvaluateProgress&)> on_progress{};
};

/// Runs a suite, or goes on with it, and leaves a record of every run in `request.output` (docs/formats.md):
///
///   suite.json     what is run, and on what machine
///   runs.jsonl     one line for each run, appended when it has ended
///   instances/     the generated ones
///
/// Each run is a process of its own, kept on one core.  The runs of one (instance, seed) follow each other, and each time another policy begins.
/// Killed at any moment, the same request goes on where it was; nothing runs twice.  A suite may grow (groups, seeds, policies) between calls.
///
/// Returns whether every run has a record; false after a stop signal.
/// Throws Error: usage if the directory holds another suite, cannot_write.
bool evaluate(const EvaluateRequest& request);

}  // namespace bough
