// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bough::cli {
namespace {

TEST(Terminal, DurationsAreInTheUnitThatAPersonWouldChoose) {
  EXPECT_EQ(duration_text(1.234), "1.23 s");
  EXPECT_EQ(duration_text(119.99), "119.99 s");
  EXPECT_EQ(duration_text(245.9), "4 min 05 s");
  EXPECT_EQ(duration_text(7199), "119 min 59 s");
  EXPECT_EQ(duration_text(7260), "2 h 01 min");
}

TEST(Terminal, NumbersHaveTenDigitsAndInfinityNone) {
  EXPECT_EQ(number_text(1.0 / 3), "0.3333333333");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(counts_text({{"lp_error", 3}, {"limit", 1}}), "1 limit, 3 lp_error");
  EXPECT_EQ(counts_text({}), "");
}

// 30 of 90 in 15 s: two a second, 60 left.
TEST(Terminal, ProgressExpectsTheRestAtTheSamePace) { EXPECT_EQ(progress_text("collecting", 30, 90, 0, 15), "collecting 30/90, 2.0/s, 30.00 s left"); }

// 20 were there before, so 10 took 15 s, and 60 are left.
TEST(Terminal, ProgressDoesNotCountWhatWasDoneBefore) { EXPECT_EQ(progress_text("collecting", 30, 90, 20, 15), "collecting 30/90, 40.0/min, 90.00 s left"); }

// 3 in 120 s are 1.5 a minute, not "0.0/s"; 17 left take 680 s.
TEST(Terminal, ProgressOfSlowJobsIsByTheMinute) { EXPECT_EQ(progress_text("evaluating", 3, 20, 0, 120, "tgat"), "evaluating 3/20, tgat, 1.5/min, 11 min 20 s left"); }

// Before the first has ended nobody knows how long one takes.
TEST(Terminal, ProgressSaysWhatItDoesBeforeAnythingHasEnded) {
  EXPECT_EQ(progress_text("evaluating", 0, 8, 0, 300, "tgat for 300 s"), "evaluating 0/8, tgat for 300 s");
  EXPECT_EQ(progress_text("evaluating", 5, 8, 5, 300), "evaluating 5/8");
}

// A row that is full makes the terminal begin another, which nobody clears again.
TEST(Terminal, WhatIsRedrawnFitsOneRow) {
  EXPECT_EQ(fitting("short", 6), "short");
  const std::string text = "evaluating 12/420, tgat setcover-easy-20003 seed 0 for 12 s; gcnn setcover-easy-20003 seed 0 for 3 s, gap 3.4 %, 14.2/min, 28 min 44 s left";
  for (const std::size_t width : {1U, 20U, 50U, 51U, 80U, 120U}) EXPECT_EQ(fitting(text, width).size(), width - 1) << width;
  EXPECT_EQ(fitting(text, 80), "evaluating 12/420, tgat setcover-eas...s, gap 3.4 %, 14.2/min, 28 min 44 s left");
}

// An estimate of the total may turn out too low.
TEST(Terminal, ProgressBeyondTheTotalHasNothingLeft) { EXPECT_EQ(progress_text("training", 12, 10, 0, 6), "training 12/10, 2.0/s, 0.00 s left"); }

}  // namespace
}  // namespace bough::cli
