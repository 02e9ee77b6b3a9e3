/* SPDX-License-Identifier: Apache-2.0
 *
 * Learned branching for a C program that embeds SCIP (docs/embedding.md); bough.hpp is the same for C++.
 */
#ifndef BOUGH_BOUGH_H
#define BOUGH_BOUGH_H

#include <scip/def.h>
#include <scip/type_retcode.h>
#include <scip/type_scip.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Adds the branching rule `bough` with the trained network of a model file to `scip`, which owns it from then on.  With an empty
 *  or null `model` the rule does nothing until the parameter branching/bough/model names a file.
 *
 *  What is wrong goes to SCIP's error output; returns SCIP_NOFILE if the file cannot be read, SCIP_READERROR if it is not a model.
 */
SCIP_RETCODE BOUGHincludeBranching(SCIP* scip, const char* model);

/** Branchings on the network's choice in the present or last solve; -1 without the rule. */
SCIP_Longint BOUGHgetNDecisions(SCIP* scip);

/** Nodes that the network could not decide and that were left to SCIP's own rules; -1 without the rule. */
SCIP_Longint BOUGHgetNFallbacks(SCIP* scip);

#ifdef __cplusplus
}
#endif

#endif
