// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bough/instance/source.hpp"
#include "bough/scip/settings.hpp"

namespace bough {

/// A contender: one of the named policies, or a model file.
struct SuitePolicy {
  std::string name;    ///< in tables and records
  std::string source;  ///< what SolveRequest::policy takes
  ScipParameters scip{};  ///< its own, on top of the suite's
};

/// Instances of one kind.
struct SuiteGroup {
  std::string name;
  std::string family;                     ///< of generated instances or published data; empty for files
  std::string size;                       ///< of generated ones
  Overrides parameters{};                 ///< of generated ones, where they differ from the size's
  bool from_data = false;                 ///< `instances` are data that the family reads
  std::vector<Instance> instances{};
  std::vector<std::string> policies{};    ///< names of those that take part
  std::vector<std::uint32_t> seeds{};     ///< of the suite's, those that are used; empty: all
  std::map<std::string, double> optima{}; ///< known ones, by instance
};

/// An experiment: every policy solves every instance with every seed (docs/evaluating.md has the file's keys).
struct Suite {
  std::string name;
  std::string note;
  Settings settings;                      ///< with a time limit; the seed is the run's
  std::vector<std::uint32_t> seeds{0};
  std::vector<SuitePolicy> policies;
  std::vector<SuiteGroup> groups;
  bool statistics = true;                 ///< SCIP's own in every record
  bool calibration = true;                ///< repeat a solve to see how steady the machine is
  std::string explained_policy{};         ///< its first decisions on the first instance of each group are kept, in a run of its own
  int n_explained = 0;
};

/// What a policy solves under: the suite's settings, and its own parameters on top.  Those of our rule are left out for rules of SCIP, which it does not ask.
Settings settings_of(const Suite& suite, const SuitePolicy& policy);

/// Reads a suite.  Paths in it are relative to its own directory.  Everything that can be wrong is found here: names of policies, families
/// and settings, models that do not load, folders without instances, names given twice.
/// Throws Error: missing_input; bad_input with file and line.
Suite read_suite(const std::filesystem::path& path);

}  // namespace bough
