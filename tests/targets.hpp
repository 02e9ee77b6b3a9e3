// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bough::test {

/// The instruction sets for which the kernels are compiled, the newest first; a CPU supports those from some point of the list on.
inline std::vector<std::int64_t> compiled_targets() {
  std::vector<std::int64_t> targets;
  constexpr std::int64_t left_out = HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_AVX3_ZEN4 | HWY_AVX3_SPR | HWY_AVX10_2;  // by CMakeLists.txt
  for (std::int64_t rest = HWY_TARGETS & ~left_out; rest != 0; rest &= rest - 1) targets.push_back(rest & -rest);
  return targets;
}

/// Makes the kernels run on one instruction set, which the CPU must have.
inline void use_target(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}
inline void use_best_target() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

/// Runs `action` once for each instruction set of this CPU that the kernels are compiled for.
template <class Action>
void on_every_target(const Action& action) {
  for (const std::int64_t target : compiled_targets()) {
    if ((hwy::SupportedTargets() & target) == 0) continue;
    SCOPED_TRACE(hwy::TargetName(target));
    use_target(target);
    action();
    use_best_target();
  }
}

/// Suites of this kind run once for every instruction set; those that this CPU does not have are skipped by name.
class EveryInstructionSet : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this CPU does not have " << hwy::TargetName(GetParam());
    use_target(GetParam());
  }
  void TearDown() override { use_best_target(); }
};

inline std::string target_name(const testing::TestParamInfo<std::int64_t>& test) { return hwy::TargetName(test.param); }

}  // namespace bough::test
