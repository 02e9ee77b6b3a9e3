// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bough/evaluate/evaluate.hpp"
#include "bough/evaluate/record.hpp"

namespace bough::cli {

/// evaluate() with its progress on stderr.
bool run_evaluation(EvaluateRequest& request, bool quiet);

/// The figures of every group and policy as tables for a terminal, disagreements first.
std::string evaluation_text(const Evaluation& evaluation);

}  // namespace bough::cli
