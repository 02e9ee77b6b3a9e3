// SPDX-License-Identifier: Apache-2.0
//
// The trainer's networks against a plain version of the same equations, and gradients against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "bough/train/evaluate.hpp"
#include "bough/train/network.hpp"
#include "bough/train/statistics.hpp"
#include "tests/train/episodes.hpp"
#include "tests/train/plain.hpp"

namespace bough::test {
namespace {

const std::vector<Architecture> architectures{
    {.network = Network::gcnn, .d = 16},
    {.network = Network::gat, .d = 16, .heads = 2, .attention = Attention::sum},
    {.network = Network::gat, .d = 16, .heads = 3, .attention = Attention::concat},
    {.network = Network::tgat, .d = 16, .heads = 2, .memory = 3, .attention = Attention::sum},
    {.network = Network::tgat, .d = 32, .heads = 1, .memory = 4, .attention = Attention::concat},
};

/// Random weights, biases and statistics: zeros would hide terms.
template <class T>
Learner<T> random_learner(const Architecture& architecture, std::uint64_t seed) {
  Learner<T> learner(architecture);
  learner.initialise(seed);
  Rng rng("test", seed);
  for (T& w : learner.weights()) w += static_cast<T>(rng.uniform(-0.1, 0.1));
  for (const TensorSpec& spec : tensors_of(architecture)) {
    if (spec.trained) continue;
    for (T& x : learner.statistic(spec.name)) x = static_cast<T>(spec.name.ends_with(".mean") ? rng.uniform(-1, 1) : rng.uniform(0.3, 2));
  }
  return learner;
}

PackOptions options_for(const Architecture& architecture) { return {.memory = architecture.remembers() ? architecture.memory : 1}; }

/// Windows with every difficulty: several topologies, unlabelled states, windows longer than the memory.
std::vector<Window> difficult_windows(std::uint64_t seed) {
  Rng rng("windows", seed);
  std::vector<Window> windows = windows_of(random_episode(rng, {.windows = {4, 1, 7}, .topologies = {0, 0, 0, 1, 1, 0}, .unlabelled = 0.25}));
  for (Window& window : windows_of(random_episode(rng, {.n_variables = 5, .n_rows = 20, .windows = {3, 2}}))) windows.push_back(window);
  return windows;
}

// Equal costs over their norm, in instances of 499 to 501 variables: -0.0447 and hardly anything else.  Magnified to unit deviation, an instance of
// twice the size would be hundreds of deviations off.
TEST(InputStatistics, AFeatureThatHardlyVariesIsNotMagnified) {
  Rng rng("statistics", 1);
  InputStatistics statistics;
  for (const double n : {499.0, 500.0, 501.0}) {
    Episode episode = random_episode(rng, {.windows = {2}});
    for (State& state : episode.states) {
      for (std::size_t at = 0; at < state.variable_features.size(); at += n_variable_features) state.variable_features[at] = static_cast<float>(-1 / std::sqrt(n));
    }
    for (const Window& window : windows_of(episode)) statistics.add(window);
  }
  Learner<float> learner(architectures.front());
  statistics.write_to(learner);
  EXPECT_NEAR(learner.statistic("variable.mean")[0], -1 / std::sqrt(500.0), 1e-4);
  EXPECT_EQ(learner.statistic("variable.std")[0], 1.0F);
  const auto fraction = static_cast<std::size_t>(VariableFeature::fraction);
  EXPECT_NE(learner.statistic("variable.std")[fraction], 1.0F) << "this one varies";
}

template <class T>
double loss_of(const Learner<T>& learner, const Batch& batch, double factor) {
  Scores<T> scores;
  learner.score(batch, scores);
  double loss = 0;
  for (std::size_t s = 0; s < batch.states.size(); ++s) {
    for (auto k = static_cast<std::size_t>(batch.state_start[s]); k < static_cast<std::size_t>(batch.state_start[s + 1]); ++k) {
      loss -= factor * batch.weight[s] * batch.target[k] * static_cast<double>(scores.log_probability[k]);
    }
  }
  return loss;
}

template <class Values>
double largest(const Values& values) {
  double result = 0;
  for (const auto x : values) result = std::max(result, std::abs(static_cast<double>(x)));
  return result;
}

class NetworkTest : public testing::TestWithParam<Architecture> {
 protected:
  /// Logits and all gradients, to `tolerance` of the largest of each tensor.
  void compare(std::span<const Window> windows, const PackOptions& options, double tolerance) {
    const Learner<double> learner = random_learner<double>(GetParam(), 5);
    TermsCache cache;
    Packer packer(cache);
    const Batch& batch = packer.pack(windows, options);
    ASSERT_FALSE(batch.states.empty());
    constexpr double factor = 0.7;
    Scores<double> scores;
    std::vector<double> gradient(learner.weights().size());
    learner.differentiate(batch, factor, scores, gradient);
    const auto plain = plain_answer<double>(learner, windows, options, factor);

    ASSERT_EQ(scores.logits.size(), plain.logits.size());
    for (std::size_t k = 0; k < plain.logits.size(); ++k) ASSERT_NEAR(scores.logits[k], plain.logits[k], tolerance * largest(plain.logits)) << "candidate " << k;
    EXPECT_NEAR(loss_of(learner, batch, factor), plain.loss, tolerance * plain.loss);
    std::size_t at = 0;
    for (const TensorSpec& spec : tensors_of(GetParam())) {
      if (!spec.trained) continue;
      std::size_t n = 1;
      for (const std::size_t extent : spec.shape) n *= extent;
      const double scale = largest(std::span(plain.gradient).subspan(at, n));
      EXPECT_GT(scale, 0) << spec.name << " gets no gradient: nothing is compared";
      // Gradients that cancel, such as those of a bias behind which every unit is active, are as exact as their terms.
      for (std::size_t i = at; i < at + n; ++i) ASSERT_NEAR(gradient[i], plain.gradient[i], tolerance * scale + 1e-13 * largest(plain.gradient)) << spec.name << " at " << i - at;
      at += n;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, NetworkTest, testing::ValuesIn(architectures), [](const auto& test) {
  return std::string(network_names[static_cast<std::size_t>(test.param.network)]) + (test.param.attends() ? "_" + std::string(attention_names[static_cast<std::size_t>(test.param.attention)]) : "");
});

TEST_P(NetworkTest, AgreesWithThePlainNetworkInLogitsAndGradients) {
  const auto windows = difficult_windows(1);
  compare(windows, options_for(GetParam()), 1e-10);
}

TEST_P(NetworkTest, AgreesWithThePlainNetworkWhenEveryStateRemembersItsOwnPast) {
  PackOptions options = options_for(GetParam());
  options.history = History::full;
  compare(difficult_windows(2), options, 1e-10);
}

// A set that 'bough collect' made, if there is one: BOUGH_TEST_SET=DIR.
TEST_P(NetworkTest, AgreesWithThePlainNetworkOnACollectedWindow) {
  const char* set = std::getenv("BOUGH_TEST_SET");
  if (set == nullptr) GTEST_SKIP() << "no BOUGH_TEST_SET";
  const Dataset dataset = Dataset::open(set);
  const auto windows = windows_of(dataset.load(0));
  compare(std::span(windows).first(1), options_for(GetParam()), 1e-10);
}

TEST_P(NetworkTest, GradientsAreTheLimitOfDifferences) {
  Learner<double> learner = random_learner<double>(GetParam(), 9);
  TermsCache cache;
  Packer packer(cache);
  const auto windows = difficult_windows(3);
  const Batch& batch = packer.pack(windows, options_for(GetParam()));
  Scores<double> scores;
  std::vector<double> gradient(learner.weights().size());
  learner.differentiate(batch, 1, scores, gradient);

  // Along one random direction for each tensor.  Central differences err by step^2, rounding by 1e-16 / step; a kink that a step
  // happens to cross is rare enough not to be met with these seeds.
  Rng rng("directions", 0);
  const auto weights = learner.weights();
  constexpr double step = 1e-6;
  std::size_t at = 0;
  for (const TensorSpec& spec : tensors_of(GetParam())) {
    if (!spec.trained) continue;
    std::size_t n = 1;
    for (const std::size_t extent : spec.shape) n *= extent;
    std::vector<double> direction(n);
    double expected = 0, length = 0;
    for (std::size_t i = 0; i < n; ++i) {
      direction[i] = rng.uniform(-1, 1);
      expected += direction[i] * gradient[at + i];
      length += std::abs(direction[i] * gradient[at + i]);
    }
    const auto move = [&](double by) {
      for (std::size_t i = 0; i < n; ++i) weights[at + i] += by * direction[i];
    };
    move(step);
    const double above = loss_of(learner, batch, 1);
    move(-2 * step);
    const double below = loss_of(learner, batch, 1);
    move(step);
    EXPECT_NEAR((above - below) / (2 * step), expected, 1e-5 * length + 1e-9) << spec.name;
    at += n;
  }
}

TEST_P(NetworkTest, FloatAndDoubleAgree) {
  const auto windows = difficult_windows(4);
  TermsCache cache;
  Packer packer(cache);
  const Batch& batch = packer.pack(windows, options_for(GetParam()));
  Scores<float> single;
  Scores<double> twice;
  const Learner<float> learner = random_learner<float>(GetParam(), 2);
  learner.score(batch, single);
  Learner<double>(learner.to_model()).score(batch, twice);
  ASSERT_EQ(single.logits.size(), twice.logits.size());
  for (std::size_t k = 0; k < twice.logits.size(); ++k) ASSERT_NEAR(static_cast<double>(single.logits[k]), twice.logits[k], 1e-5 * largest(twice.logits));
}

TEST_P(NetworkTest, AModelKeepsEveryNumber) {
  const Learner<float> learner = random_learner<float>(GetParam(), 6);
  const Learner<float> copy(model_from(SafeTensors::parse(model_bytes(learner.to_model()), "m")));
  EXPECT_TRUE(std::ranges::equal(learner.weights(), copy.weights()));
  EXPECT_EQ(learner.to_model(), copy.to_model());
}

TEST(Initialise, SeedsDecideWeightsAndBiasesAreZero) {
  const Architecture architecture{.network = Network::tgat};
  Learner<float> one(architecture), same(architecture), other(architecture);
  one.initialise(1);
  same.initialise(1);
  other.initialise(2);
  EXPECT_TRUE(std::ranges::equal(one.weights(), same.weights()));
  EXPECT_FALSE(std::ranges::equal(one.weights(), other.weights()));
  const Model model = one.to_model();
  for (const auto& [name, values] : model.tensors) {
    if (name.ends_with(".bias")) {
      EXPECT_EQ(largest(values), 0) << name;
    }
  }
  // He before a relu: variance 2 / in, so the bound is sqrt(6 / in).  Glorot elsewhere: variance 2 / (in + out).
  const auto expect_bound = [&](const std::string& name, double bound) {
    EXPECT_LE(largest(model.tensors.at(name)), bound) << name;
    EXPECT_GT(largest(model.tensors.at(name)), 0.98 * bound) << name;
  };
  expect_bound("variable.embed.0.weight", std::sqrt(6.0 / 19));
  expect_bound("rows.post.0.weight", std::sqrt(6.0 / 64));
  expect_bound("rows.source.weight", std::sqrt(6.0 / (32 + 64)));
  EXPECT_LE(largest(model.tensors.at("gru.hidden.weight")), 1 / std::sqrt(32));
}

TEST(Crew, TheNumberOfThreadsChangesNoBit) {
  const Architecture architecture{.network = Network::tgat, .d = 16, .heads = 2, .memory = 3};
  const Learner<float> learner = random_learner<float>(architecture, 1);
  std::vector<Window> windows;
  Rng rng("large", 0);
  for (int e = 0; e < 6; ++e) {
    for (Window& window : windows_of(random_episode(rng, {.n_variables = 300, .n_rows = 200, .density = 0.5, .windows = {4}}))) windows.push_back(window);
  }
  ASSERT_GT(Crew::n_groups(windows), 3U) << "nothing to share";
  const auto gradients = [&](int n_threads) {
    std::vector<std::vector<float>> result(Crew::n_groups(windows));
    Crew(n_threads).for_each_group(windows, options_for(architecture), [&](std::size_t group, std::span<const Window>, const Batch& batch, Scores<float>& scores) {
      result[group].resize(learner.weights().size());
      learner.differentiate(batch, 1, scores, result[group]);
    });
    return result;
  };
  const auto alone = gradients(1);
  EXPECT_EQ(alone, gradients(2));
  EXPECT_EQ(alone, gradients(3));
}

}  // namespace
}  // namespace bough::test
