// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace bough::bench {

/// What `make bench` prints and writes: {name, ratio, low, high, ...}.
using Row = nlohmann::ordered_json;

double median(std::vector<double> values);
double seconds(const std::function<void()>& action);

/// time(first) / time(second), alternated `rounds` times after one untimed round of each: the ratio of the medians, with the smallest
/// and largest ratio of single rounds beside it.
Row compare(const std::string& name, int rounds, const std::function<void()>& first, const std::function<void()>& second);

/// A row whose ratio was measured by the caller; prints it.
Row finish(Row row, const std::string& remark);

/// Each group of rows lies in the file of its name.
Row observe_rows(std::string_view only_family = {});       ///< feature extraction and the expert, every family at easy
Row decision_rows(std::string_view only = {});             ///< extraction and inference, every family at easy and medium ("setcover-easy": only that)
Row train_rows(const std::filesystem::path& set);          ///< forward and backward on windows of a set
Row share_row();                                           ///< the policy's share of a solve
/// Collecting a set into temporary/one and reading it back.  `trainer_state_s` is what the trainer needs for a state.
Row collect_rows(const std::filesystem::path& temporary);
Row loader_row(const std::filesystem::path& set, double trainer_state_s);

}  // namespace bough::bench
