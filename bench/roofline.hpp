// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/rows.hpp"
#include "bough/model/architecture.hpp"
#include "bough/observe/graph.hpp"

namespace bough::bench {

/// How far one decision is from what this machine could do: the floating-point operations and bytes that the network needs at least
/// (every node once, candidates' second half layer once, memory cached) against the multiply-add rate and the read bandwidth of one
/// core, measured now.  The ratio is measured time / the longer of the two lower bounds.
Row roofline_row(const std::string& name, const Architecture& architecture, const Topology& topology, double n_candidates, double measured_s);

}  // namespace bough::bench
