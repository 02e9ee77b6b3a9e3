// SPDX-License-Identifier: Apache-2.0
//
// Forward and backward of one batch of real windows: the trainer's kernels against the same network with index_select and index_add,
// on one thread.
#include <algorithm>
#include <cmath>
#include <format>
#include <stdexcept>

#include "bench/rows.hpp"
#include "bough/dataset/loader.hpp"
#include "bough/train/network.hpp"
#include "tests/models.hpp"
#include "tests/train/plain.hpp"

namespace bough::bench {

Row train_rows(const std::filesystem::path& set) {
  Row rows = Row::array();
  const Dataset dataset = Dataset::open(set);
  Loader loader(dataset, {.batch_size = 2, .seed = 0});
  loader.start(0);
  const std::vector<Window> windows = loader.next();
  std::size_t n_states = 0;
  for (const Window& window : windows) n_states += window.states().size();
  for (const Architecture& architecture : {Architecture{.network = Network::tgat}, Architecture{.network = Network::tgat, .attention = Attention::sum},
                                           Architecture{.network = Network::gat}, Architecture{.network = Network::gcnn}}) {
    const Learner<float> network(test::random_model(architecture, 1));
    const PackOptions options{.memory = architecture.remembers() ? architecture.memory : 1};
    TermsCache cache;
    Packer packer(cache);
    Scores<float> scores;
    std::vector<float> gradient(network.weights().size());
    std::vector<float> plain;
    std::string name(network_names[static_cast<std::size_t>(architecture.network)]);
    if (architecture.attends() && architecture.attention == Attention::sum) name += "-sum";
    Row row = compare(
        std::format("train/{}/setcover-easy/fused-vs-plain", name), 11, [&] { plain = test::plain_answer(network, windows, options, 1).gradient; },
        [&] { network.differentiate(packer.pack(windows, options), 1, scores, gradient); });
    double difference = 0, largest = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      difference = std::max(difference, static_cast<double>(std::abs(gradient[i] - plain[i])));
      largest = std::max(largest, static_cast<double>(std::abs(plain[i])));
    }
    if (difference > 1e-3 * largest) throw std::runtime_error("the two gradients of " + name + " differ");
    row.update({{"fused_ms_per_state", row["second_ms"].get<double>() / static_cast<double>(n_states)}, {"plain_ms_per_state", row["first_ms"].get<double>() / static_cast<double>(n_states)}, {"states", n_states}});
    rows.push_back(row);
  }
  return rows;
}

}  // namespace bough::bench
