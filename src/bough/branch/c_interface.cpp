// SPDX-License-Identifier: Apache-2.0
#include <scip/pub_message.h>

#include "bough/bough.h"
#include "bough/bough.hpp"

namespace {

SCIP_RETCODE return_code(bough::ExitCode code) {
  switch (code) {
    case bough::ExitCode::missing_input: return SCIP_NOFILE;
    case bough::ExitCode::bad_input: return SCIP_READERROR;
    default: return SCIP_ERROR;
  }
}

/// -1 without the rule.
SCIP_Longint count(SCIP* scip, std::int64_t bough::BranchingCounts::* member) noexcept {
  try {
    return bough::counts(scip).*member;
  } catch (const std::exception&) {
    return -1;
  }
}

}  // namespace

SCIP_RETCODE BOUGHincludeBranching(SCIP* scip, const char* model) {
  try {
    bough::include_branching(scip, model != nullptr ? model : "");
    return SCIP_OKAY;
  } catch (const bough::Error& error) {
    SCIPerrorMessage("bough: %s%s%s\n", error.what(), error.hint().empty() ? "" : "; ", error.hint().c_str());
    return return_code(error.code());
  } catch (const std::exception& error) {
    SCIPerrorMessage("bough: %s\n", error.what());
    return SCIP_ERROR;
  }
}

SCIP_Longint BOUGHgetNDecisions(SCIP* scip) { return count(scip, &bough::BranchingCounts::n_decisions); }

SCIP_Longint BOUGHgetNFallbacks(SCIP* scip) { return count(scip, &bough::BranchingCounts::n_fallbacks); }
