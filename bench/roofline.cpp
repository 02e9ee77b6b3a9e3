// SPDX-License-Identifier: Apache-2.0
#include "bench/roofline.hpp"

#include <algorithm>
#include <format>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/roofline.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bough::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// `n` rounds of twelve independent multiply-adds in registers: returns floating-point operations.
double multiply_add(std::size_t n, float* out) {
  const hn::ScalableTag<float> tag;
  hn::Vec<decltype(tag)> sum[12];
  for (std::size_t i = 0; i < 12; ++i) sum[i] = hn::Set(tag, out[0] + static_cast<float>(i));
  const auto a = hn::Set(tag, out[0] + 0.999F);
  const auto b = hn::Set(tag, out[0] + 1e-3F);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < 12; ++i) sum[i] = hn::MulAdd(sum[i], a, b);
  }
  auto total = hn::Zero(tag);
  for (std::size_t i = 0; i < 12; ++i) total = hn::Add(total, sum[i]);
  out[0] = 1e-30F * hn::ReduceSum(tag, total);
  return 2.0 * 12 * static_cast<double>(n) * static_cast<double>(hn::Lanes(tag));
}

float read_all(const float* x, std::size_t n) {
  const hn::ScalableTag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  hn::Vec<decltype(tag)> sum[4] = {hn::Zero(tag), hn::Zero(tag), hn::Zero(tag), hn::Zero(tag)};
  for (std::size_t k = 0; k + 4 * lanes <= n; k += 4 * lanes) {
    for (std::size_t i = 0; i < 4; ++i) sum[i] = hn::Add(sum[i], hn::LoadU(tag, x + k + i * lanes));
  }
  return hn::ReduceSum(tag, hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3])));
}

}  // namespace bough::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bough::bench {
namespace {

HWY_EXPORT(multiply_add);
HWY_EXPORT(read_all);

struct Machine {
  double flops_per_s = 0;
  double bytes_per_s = 0;
};

Machine measure() {
  Machine machine;
  float sink = 0;
  std::vector<float> memory(1 << 22, 1.0F);  // 16 MB: larger than a core's own caches
  for (int round = 0; round < 9; ++round) {
    double operations = 0;
    const double flop_s = seconds([&] { operations = HWY_DYNAMIC_DISPATCH(multiply_add)(1 << 20, &sink); });
    const double read_s = seconds([&] { sink += 1e-30F * HWY_DYNAMIC_DISPATCH(read_all)(memory.data(), memory.size()); });
    machine.flops_per_s = std::max(machine.flops_per_s, operations / flop_s);
    machine.bytes_per_s = std::max(machine.bytes_per_s, static_cast<double>(memory.size() * sizeof(float)) / read_s);
  }
  return machine;
}

}  // namespace

Row roofline_row(const std::string& name, const Architecture& a, const Topology& topology, double n_candidates, double measured_s) {
  const double d = a.d, width = static_cast<double>(a.width());
  const auto n_variables = static_cast<double>(topology.n_variables()), n_rows = static_cast<double>(topology.n_rows()), n_edges = static_cast<double>(topology.n_edges());
  const double candidate_edges = n_edges / n_variables * n_candidates;
  const double per_edge = !a.attends() ? 3 * d : a.attention == Attention::sum ? (6 + 2) * width : 2 * width + 20 * a.heads;  // gathering one neighbour
  const double half = 2 * (d * width + 2 * d * d + d * d);                                                                 // target projection and perceptron
  double flops = n_variables * 2 * (static_cast<double>(n_variable_features) * d + d * d + d * width) +
                 n_rows * (2 * (static_cast<double>(n_row_features) * d + d * d + d * width) + half) + n_edges * per_edge + n_candidates * half + candidate_edges * per_edge;
  if (a.remembers()) flops += n_candidates * 2 * (3 * d * d + (a.memory - 1) * 3 * d * d);
  flops += n_candidates * 2 * d * d;
  // Features in, edges in (source and term), embeddings and projections out and in once.
  const double floats = n_variables * (static_cast<double>(n_variable_features) + 2 * (d + width)) + n_rows * (static_cast<double>(n_row_features) + 2 * width) +
                        n_candidates * (a.remembers() ? (a.memory + 1) * 3 * d : d);
  const double bytes = 4 * floats + 8 * (n_edges + candidate_edges);
  const Machine machine = measure();
  const double flop_s = flops / machine.flops_per_s, byte_s = bytes / machine.bytes_per_s;
  const double ratio = measured_s / std::max(flop_s, byte_s);
  return finish({{"name", std::format("roofline/{}/setcover-easy/measured-vs-bound", name)}, {"ratio", ratio}, {"low", ratio}, {"high", ratio}, {"flops", flops}, {"bytes", bytes},
                 {"gflops_per_s", machine.flops_per_s / 1e9}, {"gbytes_per_s", machine.bytes_per_s / 1e9}, {"compute_bound_us", 1e6 * flop_s}, {"memory_bound_us", 1e6 * byte_s}},
                std::format("{:.1f} Mflop / {:.0f} Gflop/s = {:.0f} us, {:.2f} MB / {:.0f} GB/s = {:.0f} us", flops / 1e6, machine.flops_per_s / 1e9, 1e6 * flop_s, bytes / 1e6,
                            machine.bytes_per_s / 1e9, 1e6 * byte_s));
}

}  // namespace bough::bench
#endif
