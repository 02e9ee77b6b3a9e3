// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bough {

extern const char* const version;  ///< "0.1.0"
extern const char* const commit;   ///< of the source tree, with "-dirty" if it had changes; "unknown" outside a checkout

}  // namespace bough
