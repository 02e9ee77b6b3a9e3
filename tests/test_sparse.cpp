// SPDX-License-Identifier: Apache-2.0
//
// The kernels against loops that are written as the header writes them, forward and backward, on every instruction set of this CPU.
#include "bough/model/sparse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bough/rng.hpp"
#include "tests/targets.hpp"

namespace bough::test {
namespace {

template <class T>
using Arrays = std::vector<std::vector<T>>;

/// A graph by target.  For log softmax the targets are the segments and the edges their elements.
struct Graph {
  std::size_t heads;
  std::size_t d;
  std::size_t n_sources = 13;
  std::size_t n_terms = 4;
  std::vector<std::int32_t> start{0};  // (n_targets + 1)
  std::vector<std::int32_t> source;    // (n_edges)
  std::vector<std::int32_t> term;      // (n_edges)  fewer terms than edges, so they repeat

  [[nodiscard]] std::size_t n_targets() const { return start.size() - 1; }
  [[nodiscard]] std::size_t n_edges() const { return source.size(); }
  [[nodiscard]] EdgesByTarget edges() const { return {start.data(), source.data(), term.data()}; }
  [[nodiscard]] std::size_t width() const { return heads * d; }
};

/// Targets with these numbers of edges; sources may repeat within a target.
Graph graph_with(std::size_t heads, std::size_t d, const std::vector<int>& degrees, std::uint64_t seed = 1) {
  Rng rng("sparse", seed);
  Graph graph{.heads = heads, .d = d, .source = {}, .term = {}};
  for (const int degree : degrees) {
    for (int e = 0; e < degree; ++e) {
      graph.source.push_back(rng.integer(0, static_cast<int>(graph.n_sources) - 1));
      graph.term.push_back(rng.integer(0, static_cast<int>(graph.n_terms) - 1));
    }
    graph.start.push_back(static_cast<std::int32_t>(graph.source.size()));
  }
  return graph;
}

double leaky_relu(double x) { return x > 0 ? x : 0.2 * x; }
double leaky_slope(double x) { return x > 0 ? 1 : 0.2; }

/// softmax(logits), and how a gradient of the weights becomes one of the logits.
std::vector<double> softmax(std::vector<double> logits) {
  const double largest = std::ranges::max(logits);
  double total = 0;
  for (double& x : logits) total += x = std::exp(x - largest);
  for (double& x : logits) x /= total;
  return logits;
}
std::vector<double> softmax_backward(const std::vector<double>& weights, std::vector<double> gradient) {
  double mean = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) mean += weights[k] * gradient[k];
  for (std::size_t k = 0; k < weights.size(); ++k) gradient[k] = weights[k] * (gradient[k] - mean);
  return gradient;
}

/// Calls f(i, head, edges of i) for every target and head.
template <class F>
void for_each_head(const Graph& g, const F& f) {
  for (std::size_t i = 0; i < g.n_targets(); ++i) {
    std::vector<std::size_t> edges;
    for (auto e = static_cast<std::size_t>(g.start[i]); e < static_cast<std::size_t>(g.start[i + 1]); ++e) edges.push_back(e);
    for (std::size_t h = 0; h < g.heads; ++h) f(i, h, edges);
  }
}

/// An operation has input arrays and output arrays; the first output is the one that has a gradient, the others are what backward
/// needs.  Inputs of both attentions begin with p and q.
template <class Logits>
void naive_attend(const Graph& g, const Arrays<double>& in, Arrays<double>& out, const Logits& logits_of) {
  for_each_head(g, [&](std::size_t i, std::size_t h, const std::vector<std::size_t>& edges) {
    const std::vector<double> w = softmax(logits_of(i, h, edges));  // i itself first
    out[2][i * g.heads + h] = w[0];
    for (std::size_t k = 0; k < g.d; ++k) out[0][i * g.d + k] += w[0] * in[0][i * g.width() + h * g.d + k] / static_cast<double>(g.heads);
    for (std::size_t n = 0; n < edges.size(); ++n) {
      const auto j = static_cast<std::size_t>(g.source[edges[n]]);
      out[1][edges[0] * g.heads + h * edges.size() + n] = w[n + 1];  // head by head within a target
      for (std::size_t k = 0; k < g.d; ++k) out[0][i * g.d + k] += w[n + 1] * in[1][j * g.width() + h * g.d + k] / static_cast<double>(g.heads);
    }
  });
}

/// Adds what goes through the values and calls back with the gradient of the logits.
template <class Logits, class Back>
void naive_attend_backward(const Graph& g, const Arrays<double>& in, const std::vector<double>& out, Arrays<double>& gradient, const Logits& logits_of, const Back& back) {
  for_each_head(g, [&](std::size_t i, std::size_t h, const std::vector<std::size_t>& edges) {
    const std::vector<double> w = softmax(logits_of(i, h, edges));
    std::vector<double> dw(w.size());
    for (std::size_t n = 0; n < w.size(); ++n) {
      const std::size_t row = n == 0 ? i : static_cast<std::size_t>(g.source[edges[n - 1]]);
      for (std::size_t k = 0; k < g.d; ++k) {
        const std::size_t at = row * g.width() + h * g.d + k;
        const double share = out[i * g.d + k] / static_cast<double>(g.heads);
        dw[n] += share * in[n == 0 ? 0 : 1][at];
        gradient[n == 0 ? 0 : 1][at] += share * w[n];
      }
    }
    back(i, h, edges, softmax_backward(w, dw));
  });
}

struct Sum {
  static constexpr const char* name = "sum attention";
  static std::vector<std::size_t> inputs(const Graph& g) { return {g.n_targets() * g.width(), g.n_sources * g.width(), g.n_terms * g.width(), g.width()}; }
  static std::vector<std::size_t> outputs(const Graph& g) { return {g.n_targets() * g.d, g.n_edges() * g.heads, g.n_targets() * g.heads}; }
  template <class T>
  static SumAttention<T> of(const Graph& g, const Arrays<T>& in) { return {g.edges(), g.heads, g.d, in[0].data(), in[1].data(), in[2].data(), in[3].data()}; }
  template <class T>
  static void forward(const Graph& g, const Arrays<T>& in, std::size_t begin, std::size_t end, Arrays<T>& out) {
    attend(of(g, in), begin, end, AttentionWeights<T>{out[1].data(), out[2].data()}, out[0].data());
  }
  template <class T>
  static void backward(const Graph& g, const Arrays<T>& in, const Arrays<T>& out, const std::vector<T>& dout, std::size_t begin, std::size_t end, Arrays<T>& to) {
    attend_backward(of(g, in), begin, end, AttentionWeights<const T>{out[1].data(), out[2].data()}, dout.data(),
                    SumAttentionGradient<T>{to[0].data(), to[1].data(), to[2].data(), to[3].data()});
  }
  static double inner(const Graph& g, const Arrays<double>& in, std::size_t i, std::size_t h, std::size_t e, std::size_t k) {
    const std::size_t at = h * g.d + k;
    return in[0][i * g.width() + at] + in[1][static_cast<std::size_t>(g.source[e]) * g.width() + at] + in[2][static_cast<std::size_t>(g.term[e]) * g.width() + at];
  }
  static auto logits(const Graph& g, const Arrays<double>& in) {
    return [&](std::size_t i, std::size_t h, const std::vector<std::size_t>& edges) {
      std::vector<double> logits(1 + edges.size());
      for (std::size_t k = 0; k < g.d; ++k) {
        const double a = in[3][h * g.d + k];
        logits[0] += a * leaky_relu(2 * in[0][i * g.width() + h * g.d + k]);
        for (std::size_t n = 0; n < edges.size(); ++n) logits[n + 1] += a * leaky_relu(inner(g, in, i, h, edges[n], k));
      }
      return logits;
    };
  }
  static void naive(const Graph& g, const Arrays<double>& in, Arrays<double>& out) { naive_attend(g, in, out, logits(g, in)); }
  static void naive_backward(const Graph& g, const Arrays<double>& in, const std::vector<double>& dout, Arrays<double>& to) {
    naive_attend_backward(g, in, dout, to, logits(g, in), [&](std::size_t i, std::size_t h, const std::vector<std::size_t>& edges, const std::vector<double>& dlogit) {
      for (std::size_t k = 0; k < g.d; ++k) {
        const std::size_t at = h * g.d + k;
        const double a = in[3][at];
        const double twice = 2 * in[0][i * g.width() + at];
        to[3][at] += dlogit[0] * leaky_relu(twice);
        to[0][i * g.width() + at] += dlogit[0] * a * leaky_slope(twice) * 2;
        for (std::size_t n = 0; n < edges.size(); ++n) {
          const double x = inner(g, in, i, h, edges[n], k);
          const double dx = dlogit[n + 1] * a * leaky_slope(x);
          to[3][at] += dlogit[n + 1] * leaky_relu(x);
          to[0][i * g.width() + at] += dx;
          to[1][static_cast<std::size_t>(g.source[edges[n]]) * g.width() + at] += dx;
          to[2][static_cast<std::size_t>(g.term[edges[n]]) * g.width() + at] += dx;
        }
      }
    });
  }
};

struct Concat {
  static constexpr const char* name = "concat attention";
  static std::vector<std::size_t> inputs(const Graph& g) {
    return {g.n_targets() * g.width(), g.n_sources * g.width(), g.n_targets() * g.heads, g.n_sources * g.heads, g.n_terms * g.heads};
  }
  static std::vector<std::size_t> outputs(const Graph& g) { return Sum::outputs(g); }
  template <class T>
  static ConcatAttention<T> of(const Graph& g, const Arrays<T>& in) {
    return {g.edges(), g.heads, g.d, in[0].data(), in[1].data(), in[2].data(), in[3].data(), in[4].data()};
  }
  template <class T>
  static void forward(const Graph& g, const Arrays<T>& in, std::size_t begin, std::size_t end, Arrays<T>& out) {
    attend(of(g, in), begin, end, AttentionWeights<T>{out[1].data(), out[2].data()}, out[0].data());
  }
  template <class T>
  static void backward(const Graph& g, const Arrays<T>& in, const Arrays<T>& out, const std::vector<T>& dout, std::size_t begin, std::size_t end, Arrays<T>& to) {
    attend_backward(of(g, in), begin, end, AttentionWeights<const T>{out[1].data(), out[2].data()}, dout.data(),
                    ConcatAttentionGradient<T>{to[0].data(), to[1].data(), to[2].data(), to[3].data(), to[4].data()});
  }
  static auto logits(const Graph& g, const Arrays<double>& in) {
    return [&](std::size_t i, std::size_t h, const std::vector<std::size_t>& edges) {
      std::vector<double> logits{in[2][i * g.heads + h]};
      for (const std::size_t e : edges) {
        logits.push_back(in[3][static_cast<std::size_t>(g.source[e]) * g.heads + h] + in[4][static_cast<std::size_t>(g.term[e]) * g.heads + h]);
      }
      return logits;
    };
  }
  static void naive(const Graph& g, const Arrays<double>& in, Arrays<double>& out) { naive_attend(g, in, out, logits(g, in)); }
  static void naive_backward(const Graph& g, const Arrays<double>& in, const std::vector<double>& dout, Arrays<double>& to) {
    naive_attend_backward(g, in, dout, to, logits(g, in), [&](std::size_t i, std::size_t h, const std::vector<std::size_t>& edges, const std::vector<double>& dlogit) {
      to[2][i * g.heads + h] += dlogit[0];
      for (std::size_t n = 0; n < edges.size(); ++n) {
        to[3][static_cast<std::size_t>(g.source[edges[n]]) * g.heads + h] += dlogit[n + 1];
        to[4][static_cast<std::size_t>(g.term[edges[n]]) * g.heads + h] += dlogit[n + 1];
      }
    });
  }
};

struct Convolve {
  static constexpr const char* name = "convolution";
  static std::vector<std::size_t> inputs(const Graph& g) { return {g.n_targets() * g.d, g.n_sources * g.d, g.n_terms * g.d}; }
  static std::vector<std::size_t> outputs(const Graph& g) { return {g.n_targets() * g.d}; }
  template <class T>
  static Convolution<T> of(const Graph& g, const Arrays<T>& in) { return {g.edges(), g.d, in[0].data(), in[1].data(), in[2].data()}; }
  template <class T>
  static void forward(const Graph& g, const Arrays<T>& in, std::size_t begin, std::size_t end, Arrays<T>& out) { convolve(of(g, in), begin, end, out[0].data()); }
  template <class T>
  static void backward(const Graph& g, const Arrays<T>& in, const Arrays<T>&, const std::vector<T>& dout, std::size_t begin, std::size_t end, Arrays<T>& to) {
    convolve_backward(of(g, in), begin, end, dout.data(), to[0].data(), to[1].data(), to[2].data());
  }
  /// Calls f(place in p, in q, in r) for every edge and column.
  template <class F>
  static void for_each(const Graph& g, const F& f) {
    for (std::size_t i = 0; i < g.n_targets(); ++i) {
      for (auto e = static_cast<std::size_t>(g.start[i]); e < static_cast<std::size_t>(g.start[i + 1]); ++e) {
        for (std::size_t k = 0; k < g.d; ++k) f(i * g.d + k, static_cast<std::size_t>(g.source[e]) * g.d + k, static_cast<std::size_t>(g.term[e]) * g.d + k);
      }
    }
  }
  static void naive(const Graph& g, const Arrays<double>& in, Arrays<double>& out) {
    for_each(g, [&](std::size_t p, std::size_t q, std::size_t r) { out[0][p] += std::max(0.0, in[0][p] + in[1][q] + in[2][r]); });
  }
  static void naive_backward(const Graph& g, const Arrays<double>& in, const std::vector<double>& dout, Arrays<double>& to) {
    for_each(g, [&](std::size_t p, std::size_t q, std::size_t r) {
      if (in[0][p] + in[1][q] + in[2][r] <= 0) return;
      to[0][p] += dout[p];
      to[1][q] += dout[p];
      to[2][r] += dout[p];
    });
  }
};

struct LogSoftmax {
  static constexpr const char* name = "log softmax";
  static std::vector<std::size_t> inputs(const Graph& g) { return {g.n_edges()}; }
  static std::vector<std::size_t> outputs(const Graph& g) { return {g.n_edges()}; }
  template <class T>
  static void forward(const Graph& g, const Arrays<T>& in, std::size_t begin, std::size_t end, Arrays<T>& out) {
    segment_log_softmax(g.start.data(), begin, end, in[0].data(), out[0].data());
  }
  template <class T>
  static void backward(const Graph& g, const Arrays<T>&, const Arrays<T>& out, const std::vector<T>& dout, std::size_t begin, std::size_t end, Arrays<T>& to) {
    segment_log_softmax_backward(g.start.data(), begin, end, out[0].data(), dout.data(), to[0].data());
  }
  static void naive(const Graph& g, const Arrays<double>& in, Arrays<double>& out) {
    for (std::size_t s = 0; s < g.n_targets(); ++s) {
      const auto first = in[0].begin() + g.start[s];
      const auto last = in[0].begin() + g.start[s + 1];
      if (first == last) continue;
      const double largest = *std::max_element(first, last);
      double total = 0;
      for (auto x = first; x != last; ++x) total += std::exp(*x - largest);
      for (auto x = first; x != last; ++x) out[0][static_cast<std::size_t>(x - in[0].begin())] = *x - largest - std::log(total);
    }
  }
  static void naive_backward(const Graph& g, const Arrays<double>& in, const std::vector<double>& dout, Arrays<double>& to) {
    Arrays<double> y{std::vector<double>(g.n_edges())};
    naive(g, in, y);
    for (std::size_t s = 0; s < g.n_targets(); ++s) {
      double total = 0;
      for (auto k = static_cast<std::size_t>(g.start[s]); k < static_cast<std::size_t>(g.start[s + 1]); ++k) total += dout[k];
      for (auto k = static_cast<std::size_t>(g.start[s]); k < static_cast<std::size_t>(g.start[s + 1]); ++k) to[0][k] += dout[k] - std::exp(y[0][k]) * total;
    }
  }
};

template <class F>
void for_each_operation(const F& f) {
  const auto call = [&]<class Op>(Op) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, Op::name);
    f.template operator()<Op>();
  };
  call(Sum());
  call(Concat());
  call(Convolve());
  call(LogSoftmax());
}

std::vector<double> random_values(std::size_t n, Rng& rng) {
  std::vector<double> values(n);
  for (double& x : values) x = static_cast<float>(rng.uniform(-1, 1));  // the same number in float and double
  return values;
}

Arrays<double> zeros(const std::vector<std::size_t>& sizes) {
  Arrays<double> arrays;
  for (const std::size_t n : sizes) arrays.emplace_back(n);
  return arrays;
}

template <class Op>
Arrays<double> random_inputs(const Graph& g, std::uint64_t seed = 1) {
  Rng rng("sparse inputs", seed);
  Arrays<double> in;
  for (const std::size_t n : Op::inputs(g)) in.push_back(random_values(n, rng));
  return in;
}

template <class Op>
std::vector<double> random_gradient(const Graph& g, std::uint64_t seed = 1) {
  Rng rng("sparse gradient", seed);
  return random_values(Op::outputs(g)[0], rng);
}

template <class T>
Arrays<T> as(const Arrays<double>& arrays) {
  Arrays<T> result;
  for (const auto& a : arrays) result.emplace_back(a.begin(), a.end());
  return result;
}

/// Every element differs by at most `tolerance` times the array's largest magnitude (1 if that is smaller).
template <class A, class B>
void expect_near(const std::vector<A>& a, const std::vector<B>& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  double scale = 1;
  for (const B x : b) scale = std::max(scale, std::abs(static_cast<double>(x)));
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
    if (!(difference <= worst)) worst = difference, at = k;  // NaN counts
  }
  EXPECT_LE(worst, tolerance * scale) << what << ", element " << at << ": " << (a.empty() ? 0.0 : static_cast<double>(a[at])) << " and "
                                      << (b.empty() ? 0.0 : static_cast<double>(b[at]));
}

template <class T>
bool same_bits(const Arrays<T>& a, const Arrays<T>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0); });
}

template <class Op, class T>
Arrays<T> forward(const Graph& g, const Arrays<T>& in) {
  auto out = as<T>(zeros(Op::outputs(g)));
  Op::template forward<T>(g, in, 0, g.n_targets(), out);
  return out;
}

template <class Op, class T>
Arrays<T> backward(const Graph& g, const Arrays<T>& in, const std::vector<double>& dout) {
  auto gradient = as<T>(zeros(Op::inputs(g)));
  Op::template backward<T>(g, in, forward<Op, T>(g, in), std::vector<T>(dout.begin(), dout.end()), 0, g.n_targets(), gradient);
  return gradient;
}

template <class Op>
Arrays<double> naive(const Graph& g, const Arrays<double>& in) {
  Arrays<double> out = zeros(Op::outputs(g));
  Op::naive(g, in, out);
  return out;
}

template <class Op>
Arrays<double> naive_backward(const Graph& g, const Arrays<double>& in, const std::vector<double>& dout) {
  Arrays<double> gradient = zeros(Op::inputs(g));
  Op::naive_backward(g, in, dout, gradient);
  return gradient;
}

/// d <dout, f(in)> / d in by central differences.  The error is of order 1e-10: step^2, and rounding / step.
template <class F>
Arrays<double> differences(Arrays<double> in, const std::vector<double>& dout, const F& f) {
  constexpr double step = 1e-5;
  Arrays<double> gradient;
  const auto value = [&] {
    const Arrays<double> out = f(in);
    double sum = 0;
    for (std::size_t k = 0; k < dout.size(); ++k) sum += dout[k] * out[0][k];
    return sum;
  };
  for (auto& array : in) {
    auto& to = gradient.emplace_back();
    for (double& x : array) {
      const double old = x;
      x = old + step;
      const double above = value();
      x = old - step;
      to.push_back((above - value()) / (2 * step));
      x = old;
    }
  }
  return gradient;
}

/// Targets without edges at the ends and within, with one, with many; and widths of one to several vectors.
std::vector<Graph> graphs() {
  const std::vector<int> degrees{0, 1, 3, 150, 0, 2, 7, 33, 16, 0};
  return {graph_with(1, 16, degrees), graph_with(2, 32, degrees, 2), graph_with(3, 16, degrees, 3), graph_with(3, 64, degrees, 4), graph_with(2, 48, {1}, 5),
          graph_with(1, 16, {0}, 6),  graph_with(16, 16, {3, 5}, 7)};
}

TEST(SparseLoops, HaveTheGradientOfCentralDifferences) {
  for_each_operation([]<class Op>() {
    const Graph g = graph_with(2, 16, {0, 1, 5, 2});
    const auto in = random_inputs<Op>(g);
    const auto dout = random_gradient<Op>(g);
    const auto expected = differences(in, dout, [&](const Arrays<double>& x) { return naive<Op>(g, x); });
    const auto gradient = naive_backward<Op>(g, in, dout);
    for (std::size_t n = 0; n < gradient.size(); ++n) expect_near(gradient[n], expected[n], 1e-8, "gradient of input " + std::to_string(n));
  });
}

class Sparse : public EveryInstructionSet {};
INSTANTIATE_TEST_SUITE_P(Targets, Sparse, testing::ValuesIn(compiled_targets()), target_name);

// In double: rounding and the kernel's exponential are of order 1e-15, sums have up to 150 terms.
TEST_P(Sparse, ForwardGivesWhatTheLoopsGive) {
  for_each_operation([]<class Op>() {
    for (const Graph& g : graphs()) {
      const auto in = random_inputs<Op>(g);
      const auto expected = naive<Op>(g, in);
      const auto out = forward<Op, double>(g, in);
      for (std::size_t n = 0; n < out.size(); ++n) expect_near(out[n], expected[n], 1e-12, "output " + std::to_string(n));
    }
  });
}

TEST_P(Sparse, BackwardGivesWhatTheLoopsGive) {
  for_each_operation([]<class Op>() {
    for (const Graph& g : graphs()) {
      const auto in = random_inputs<Op>(g);
      const auto dout = random_gradient<Op>(g);
      const auto expected = naive_backward<Op>(g, in, dout);
      const auto gradient = backward<Op, double>(g, in, dout);
      for (std::size_t n = 0; n < gradient.size(); ++n) expect_near(gradient[n], expected[n], 1e-12, "gradient of input " + std::to_string(n));
    }
  });
}

TEST_P(Sparse, BackwardIsTheDerivativeOfForward) {
  for_each_operation([]<class Op>() {
    const Graph g = graph_with(2, 16, {0, 1, 5, 2}, 9);
    const auto in = random_inputs<Op>(g, 9);
    const auto dout = random_gradient<Op>(g, 9);
    const auto expected = differences(in, dout, [&](const Arrays<double>& x) { return forward<Op, double>(g, x); });
    const auto gradient = backward<Op, double>(g, in, dout);
    for (std::size_t n = 0; n < gradient.size(); ++n) expect_near(gradient[n], expected[n], 1e-8, "gradient of input " + std::to_string(n));
  });
}

// A float has 24 bits: 6e-8 a rounding, 150 of them in the largest sum, of either sign.
TEST_P(Sparse, FloatAgreesWithDouble) {
  for_each_operation([]<class Op>() {
    for (const Graph& g : graphs()) {
      const auto in = random_inputs<Op>(g);
      const auto dout = random_gradient<Op>(g);
      const auto out = forward<Op, double>(g, in);
      const auto out_float = forward<Op, float>(g, as<float>(in));
      for (std::size_t n = 0; n < out.size(); ++n) expect_near(out_float[n], out[n], 1e-5, "output " + std::to_string(n));
      const auto gradient = backward<Op, double>(g, in, dout);
      const auto gradient_float = backward<Op, float>(g, as<float>(in), dout);
      for (std::size_t n = 0; n < gradient.size(); ++n) expect_near(gradient_float[n], gradient[n], 1e-5, "gradient of input " + std::to_string(n));
    }
  });
}

TEST_P(Sparse, BackwardAddsToTheGradientsThatItIsGiven) {
  for_each_operation([]<class Op>() {
    const Graph g = graphs()[2];
    const auto in = random_inputs<Op>(g);
    const auto dout = random_gradient<Op>(g);
    const auto once = backward<Op, double>(g, in, dout);
    Arrays<double> sum = random_inputs<Op>(g, 5);
    const Arrays<double> before = sum;
    Op::template backward<double>(g, in, forward<Op, double>(g, in), dout, 0, g.n_targets(), sum);
    for (std::size_t n = 0; n < sum.size(); ++n) {
      for (std::size_t k = 0; k < sum[n].size(); ++k) sum[n][k] -= before[n][k];
      expect_near(sum[n], once[n], 1e-13, "gradient of input " + std::to_string(n));
    }
  });
}

template <class Op, class T>
void expect_splits_do_not_matter(const Graph& g) {
  const auto in = as<T>(random_inputs<Op>(g));
  const auto dout = as<T>({random_gradient<Op>(g)})[0];
  const auto whole = forward<Op, T>(g, in);
  auto gradient = as<T>(zeros(Op::inputs(g)));
  Op::template backward<T>(g, in, whole, dout, 0, g.n_targets(), gradient);
  for (const std::vector<std::size_t>& cuts : {std::vector<std::size_t>{0, 0, 3, 3, g.n_targets()}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, g.n_targets()}}) {
    auto parts = as<T>(zeros(Op::outputs(g)));
    auto gradient_of_parts = as<T>(zeros(Op::inputs(g)));
    for (std::size_t n = 0; n + 1 < cuts.size(); ++n) Op::template forward<T>(g, in, cuts[n], cuts[n + 1], parts);
    for (std::size_t n = 0; n + 1 < cuts.size(); ++n) Op::template backward<T>(g, in, whole, dout, cuts[n], cuts[n + 1], gradient_of_parts);
    EXPECT_TRUE(same_bits(parts, whole)) << "forward";
    for (std::size_t n = 0; n < gradient.size(); ++n) EXPECT_TRUE(same_bits<T>({gradient_of_parts[n]}, {gradient[n]})) << "gradient of input " << n;
  }
}

TEST_P(Sparse, ResultsDoNotDependOnHowTheTargetsAreSplit) {
  for_each_operation([]<class Op>() {
    expect_splits_do_not_matter<Op, float>(graphs()[2]);
    expect_splits_do_not_matter<Op, double>(graphs()[1]);
  });
}

TEST_P(Sparse, ForwardWritesNothingBeyondItsTargets) {
  for_each_operation([]<class Op>() {
    const Graph g = graph_with(2, 16, {2, 3, 4, 5});
    auto out = as<float>(zeros(Op::outputs(g)));
    for (auto& array : out) std::ranges::fill(array, 99.0F);
    Op::template forward<float>(g, as<float>(random_inputs<Op>(g)), 1, 3, out);
    for (const auto& array : out) {
      // Arrays by target have four parts of the same size, arrays by edge have parts of 2, 3, 4 and 5 fourteenths.
      const bool by_target = &array == &out[0] ? std::string(Op::name) != LogSoftmax::name : &array == &out[2];
      const std::size_t first = by_target ? array.size() / 4 : array.size() / 14 * 2;
      const std::size_t last = by_target ? array.size() / 4 * 3 : array.size() / 14 * 9;
      for (std::size_t k = 0; k < array.size(); ++k) EXPECT_EQ(array[k] == 99.0F, k < first || k >= last) << k;
    }
  });
}

// Logits of +-1e4: exp overflows from 89 on in float, from 710 on in double.
TEST_P(Sparse, HugeLogitsDoNotOverflow) {
  for_each_operation([]<class Op>() {
    const Graph g = graphs()[2];
    auto in = random_inputs<Op>(g);
    if (std::string(Op::name) == Sum::name) {
      for (double& x : in[3]) x *= 1e4;
    } else if (std::string(Op::name) == Concat::name) {
      for (std::size_t n = 2; n < in.size(); ++n) {
        for (double& x : in[n]) x *= 1e4;
      }
    } else {
      for (double& x : in[0]) x *= 1e4;
    }
    const auto dout = random_gradient<Op>(g);
    const auto expected = naive<Op>(g, in);
    const auto out = forward<Op, double>(g, in);
    for (std::size_t n = 0; n < out.size(); ++n) expect_near(out[n], expected[n], 1e-9, "output " + std::to_string(n));  // 1e4 times the error of a logit
    const auto out_float = forward<Op, float>(g, as<float>(in));
    for (const auto& array : out_float) EXPECT_TRUE(std::ranges::all_of(array, [](float x) { return std::isfinite(x); }));
    for (const auto& array : backward<Op, float>(g, as<float>(in), dout)) EXPECT_TRUE(std::ranges::all_of(array, [](float x) { return std::isfinite(x); }));
    if (out.size() < 3) return;
    for_each_head(g, [&](std::size_t i, std::size_t h, const std::vector<std::size_t>& edges) {
      float total = out_float[2][i * g.heads + h];
      for (std::size_t n = 0; n < edges.size(); ++n) total += out_float[1][edges[0] * g.heads + h * edges.size() + n];
      EXPECT_NEAR(total, 1, 1e-5) << "weights of target " << i;
    });
  });
}

TEST_P(Sparse, ATargetWithoutEdgesGathersFromItselfAloneAndASegmentOfOneIsCertain) {
  const Graph g = graph_with(2, 16, {0, 1, 0});
  const auto in = random_inputs<Sum>(g);
  const auto out = forward<Sum, double>(g, in);
  for (std::size_t k = 0; k < 16; ++k) EXPECT_NEAR(out[0][k], (in[0][k] + in[0][16 + k]) / 2, 1e-15);
  EXPECT_EQ(out[2][0], 1);
  EXPECT_EQ(out[2][5], 1);
  const auto sums = forward<Convolve, double>(g, random_inputs<Convolve>(g))[0];
  EXPECT_EQ(std::vector<double>(sums.begin() + 32, sums.end()), std::vector<double>(16, 0.0));
  const auto certain = forward<LogSoftmax, float>(graph_with(1, 16, {1, 0, 1}), {{-1e30F, 3}});
  EXPECT_EQ(certain[0], (std::vector<float>{0, 0}));
}

}  // namespace
}  // namespace bough::test
