// SPDX-License-Identifier: Apache-2.0
//
// Solves an instance with a trained network:  solve INSTANCE MODEL
#include <bough/bough.hpp>
#include <scip/scip.h>
#include <scip/scipdefplugins.h>

#include <cstdio>
#include <stdexcept>

static void call(SCIP_RETCODE code) {
  if (code != SCIP_OKAY) throw std::runtime_error("SCIP failed");
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: solve INSTANCE MODEL\n"), 2;
  SCIP* scip = nullptr;
  int exit_code = 0;
  try {
    call(SCIPcreate(&scip));
    call(SCIPincludeDefaultPlugins(scip));
    bough::include_branching(scip, argv[2]);  // the one call
    SCIPsetMessagehdlrQuiet(scip, TRUE);

    call(SCIPreadProb(scip, argv[1], nullptr));
    call(SCIPsolve(scip));

    const bough::BranchingCounts counts = bough::counts(scip);
    std::printf("status %s\n", SCIPgetStatus(scip) == SCIP_STATUS_OPTIMAL ? "optimal" : "other");
    std::printf("objective %.9g\n", SCIPgetPrimalbound(scip));
    std::printf("decisions %lld\n", static_cast<long long>(counts.n_decisions));
    std::printf("fallbacks %lld\n", static_cast<long long>(counts.n_fallbacks));
  } catch (const bough::Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), error.hint().c_str());
    exit_code = static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    exit_code = 1;
  }
  if (scip != nullptr) (void)SCIPfree(&scip);  // frees the rule too
  return exit_code;
}
