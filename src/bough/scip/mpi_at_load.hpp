// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bough {

/// Starts MPI for Ipopt's linear solver, unless it runs already or the library is not there.  Ipopt ends it with the process.
void start_mpi();

}  // namespace bough
