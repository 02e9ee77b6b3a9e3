// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bough::test {

/// How often this process has called operator new.  What SCIP takes from malloc by itself is not counted.
std::size_t n_allocations();

}  // namespace bough::test
