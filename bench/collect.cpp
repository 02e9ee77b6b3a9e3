// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <format>
#include <stdexcept>
#include <vector>

#include "bench/rows.hpp"
#include "bough/branch/policies.hpp"
#include "bough/collect/collect.hpp"
#include "bough/dataset/loader.hpp"

namespace bough::bench {
namespace {

CollectRequest request_for(const std::filesystem::path& output, int n_workers) {
  CollectRequest request;
  request.seeds = {"setcover", Size::easy, 0, 99};
  request.output = output;
  request.n_labels = 60;
  request.n_workers = n_workers;
  request.settings.preset = "paper";
  request.make_explorer = [name = request.explorer](std::uint64_t seed) { return make_policy(name, seed); };
  return request;
}

}  // namespace

Row collect_rows(const std::filesystem::path& temporary) {
  Row rows = Row::array();
  const CollectSummary one = collect(request_for(temporary / "one", 1));
  const CollectSummary two = collect(request_for(temporary / "two", 2));
  std::int64_t n_states = 0;
  std::uint64_t bytes = 0;
  for (const ManifestEntry& entry : one.episodes) {
    n_states += entry.n_states;
    bytes += entry.bytes;
  }
  const auto single = [&](const char* name, double value, const std::string& remark) {
    rows.push_back(finish({{"name", std::format("collect/setcover-easy/{}", name)}, {"ratio", value}, {"low", value}, {"high", value}}, remark));
  };
  const auto labels_per_s = [](const CollectSummary& summary) { return static_cast<double>(summary.n_new_labels) / summary.worker_time_s; };
  single("share-in-scip", 1 - one.own_time_s / one.worker_time_s, "of a worker's time");
  single("expert-share", one.expert_time_s / one.worker_time_s, "of a worker's time");
  single("labels-per-second-and-core", labels_per_s(one), std::format("{} labels in {:.1f} s, one worker", one.n_new_labels, one.wall_time_s));
  single("bytes-per-state", static_cast<double>(bytes) / static_cast<double>(n_states), "on disk");
  // Two workers may finish one episode more than the set needs, so rates are compared, not times.
  const double rate_one = static_cast<double>(one.n_new_labels) / one.wall_time_s;
  const double rate_two = static_cast<double>(two.n_new_labels) / two.wall_time_s;
  single("2-workers-vs-1", rate_two / rate_one, std::format("{:.2f} labels/s : {:.2f} labels/s", rate_two, rate_one));
  return rows;
}

Row loader_row(const std::filesystem::path& set, double trainer_state_s) {
  const Dataset dataset = Dataset::open(set);
  std::int64_t n_states = 0;
  for (const ManifestEntry& entry : dataset.episodes()) n_states += entry.n_states;
  std::vector<double> rates;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {  // a pool of one byte: every shard is read from disk every time
    Loader loader(dataset, {.batch_size = 8, .seed = 0, .pool_bytes = 1});
    std::size_t n_read = 0;
    const double time_s = seconds([&] {
      loader.start(epoch);
      for (auto batch = loader.next(); !batch.empty(); batch = loader.next()) {
        for (const Window& window : batch) n_read += window.states().size();
      }
    });
    if (n_read != static_cast<std::size_t>(n_states)) throw std::runtime_error("the loader lost states");
    rates.push_back(static_cast<double>(n_read) / time_s);
  }
  std::ranges::sort(rates);
  const double rate = rates[rates.size() / 2];
  return finish({{"name", "loader/setcover-easy/rate-vs-trainer-need"}, {"ratio", rate * trainer_state_s}, {"low", rates.front() * trainer_state_s},
                         {"high", rates.back() * trainer_state_s}, {"states_per_s", rate}, {"batches_of_32_per_s", rate / 32}, {"trainer_state_s", trainer_state_s}},
                std::format("{:.0f} states/s, {:.0f} batches of 32 states/s", rate, rate / 32));
}

}  // namespace bough::bench
