// SPDX-License-Identifier: Apache-2.0
#include "bough/train/network.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "bough/model/sparse.hpp"
#include "bough/rng.hpp"
#include "bough/train/functions.hpp"

namespace bough {
namespace {

std::size_t size_of(const TensorSpec& spec) { return std::accumulate(spec.shape.begin(), spec.shape.end(), std::size_t{1}, std::multiplies<>()); }

/// A tensor over memory that somebody else owns.
template <class T>
at::Tensor over(T* values, std::vector<std::int64_t> shape) {
  return at::from_blob(const_cast<std::remove_const_t<T>*>(values), shape, at::dtype<std::remove_const_t<T>>());
}

}  // namespace

template <class T>
struct Learner<T>::Impl {
  Architecture architecture;
  std::vector<TensorSpec> specs;
  std::vector<T> weights;
  std::map<std::string, std::vector<T>, std::less<>> statistics;
  std::map<std::string, at::Tensor, std::less<>> tensors;  // views on the two
  std::vector<at::Tensor> trained;                         // in the order of weights

  explicit Impl(const Architecture& a) : architecture(a), specs(tensors_of(a)), weights(n_parameters(a)) {
    T* at = weights.data();
    for (const TensorSpec& spec : specs) {
      const std::vector<std::int64_t> shape(spec.shape.begin(), spec.shape.end());
      if (spec.trained) {
        trained.push_back(over(at, shape).requires_grad_());
        tensors.emplace(spec.name, trained.back());
        at += size_of(spec);
      } else {
        auto& values = statistics[spec.name];
        values.assign(size_of(spec), spec.name.ends_with(".mean") ? T(0) : T(1));
        tensors.emplace(spec.name, over(values.data(), shape));
      }
    }
  }

  const at::Tensor& tensor(const std::string& name) const { return tensors.find(name)->second; }
  at::Tensor linear(const at::Tensor& x, const std::string& name) const { return at::linear(x, tensor(name + ".weight"), tensor(name + ".bias")); }
  at::Tensor project(const at::Tensor& x, const std::string& name) const { return at::mm(x, tensor(name + ".weight").t()); }

  at::Tensor input(const std::vector<float>& values, const std::string& name) const {
    const auto n_features = tensor(name + ".mean").size(0);
    const at::Tensor x = over(values.data(), {static_cast<std::int64_t>(values.size()) / n_features, n_features}).to(at::CppTypeToScalarType<T>::value);
    return at::sub(x, tensor(name + ".mean")).div_(tensor(name + ".std"));
  }
  at::Tensor embed(const std::vector<float>& values, const std::string& name) const {
    return linear(linear(input(values, name), name + ".embed.0").relu_(), name + ".embed.1").relu_();
  }

  /// Targets x (n_targets, d) gather from sources y (n_sources, d); e (n_terms, d or 1) is what is known of an edge.
  at::Tensor gather(const std::string& name, const PackedEdges& edges, const at::Tensor& x, const at::Tensor& y, const at::Tensor& e) const {
    const at::Tensor p = linear(x, name + ".target");
    const at::Tensor r = project(e, name + ".edge");
    if (!architecture.attends()) return convolution(edges, p, project(y, name + ".source"), r);
    const at::Tensor q = linear(y, name + ".source");
    if (architecture.attention == Attention::sum) return sum_attention(edges, p, q, r, tensor(name + ".attention"));
    return concat_attention(edges, p, q, r, tensor(name + ".attention.source"), tensor(name + ".attention.edge"));
  }

  at::Tensor half_layer(const std::string& name, const PackedEdges& edges, const at::Tensor& x, const at::Tensor& y, const at::Tensor& e) const {
    const at::Tensor gathered = at::sub(gather(name, edges, x, y, e), tensor(name + ".gathered.mean")).div_(tensor(name + ".gathered.std"));
    // The matrix for [gathered, x], in halves: no copy of the two side by side.
    const at::Tensor matrix = tensor(name + ".post.0.weight").t();
    const at::Tensor own = at::addmm(tensor(name + ".post.0.bias"), x, matrix.narrow(0, architecture.d, architecture.d));
    return linear(at::addmm(own, gathered, matrix.narrow(0, 0, architecture.d)).relu_(), name + ".post.1").relu_();
  }

  /// v (n_pairs, d) -> the memory of each pair after its state
  at::Tensor remember(const Batch& batch, const at::Tensor& v) const {
    const at::Tensor inputs = linear(v, "gru.input");
    std::vector<at::Tensor> memory;
    for (std::size_t step = 0; step + 1 < batch.step_start.size(); ++step) {
      const auto begin = batch.step_start[step], n = batch.step_start[step + 1] - begin;
      const at::Tensor h = memory.empty() ? at::zeros({n, v.size(1)}, v.options()) : gather_rows(memory.back(), std::span(batch.previous).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(n)));
      const at::Tensor hidden = memory.empty() ? tensor("gru.hidden.bias").expand({n, 3 * v.size(1)}).contiguous() : linear(h, "gru.hidden");
      memory.push_back(gru_gates(inputs.narrow(0, begin, n), hidden, h));
    }
    return memory.size() == 1 ? memory.front() : at::cat(memory);
  }

  /// The embeddings of a batch: variables, rows, terms.
  struct Inputs {
    at::Tensor v, c, e;
  };
  Inputs inputs(const Batch& batch) const {
    const at::Tensor e = input(batch.coefficients, "edge");
    return {embed(batch.variable_features, "variable"), embed(batch.row_features, "row"), architecture.attends() ? linear(e, "edge.embed").relu_() : e};
  }
  static at::Tensor pairs_of(const Batch& batch, const at::Tensor& v) { return v.narrow(0, 0, static_cast<std::int64_t>(batch.n_pairs())); }

  at::Tensor forward(const Batch& batch) const {
    const auto [v, c, e] = inputs(batch);
    const at::Tensor rows = half_layer("rows", batch.rows, c, v, e);
    at::Tensor pairs = half_layer("variables", batch.variables, pairs_of(batch, v), rows, e);
    if (architecture.remembers()) pairs = remember(batch, pairs);
    return project(linear(gather_rows(pairs, batch.candidates), "head.0").relu_(), "head.1").squeeze(1);
  }

  static void read_scores(const Batch& batch, const at::Tensor& logits, Scores<T>& scores) {
    scores.logits.assign(logits.const_data_ptr<T>(), logits.const_data_ptr<T>() + logits.size(0));
    scores.log_probability.resize(scores.logits.size());
    segment_log_softmax<T>(batch.state_start.data(), 0, batch.states.size(), scores.logits.data(), scores.log_probability.data());
  }
};

template <class T>
Learner<T>::Learner(const Architecture& architecture) : impl_(std::make_unique<Impl>(architecture)) {}

template <class T>
Learner<T>::Learner(const Model& model) : Learner(model.architecture) {
  T* at = impl_->weights.data();
  for (const TensorSpec& spec : impl_->specs) {
    const auto& values = model.tensors.find(spec.name)->second;
    if (spec.trained) at = std::ranges::copy(values, at).out;
    else std::ranges::copy(values, statistic(spec.name).begin());
  }
}

template <class T>
Learner<T>::~Learner() = default;
template <class T>
Learner<T>::Learner(Learner&&) noexcept = default;
template <class T>
Learner<T>& Learner<T>::operator=(Learner&&) noexcept = default;

template <class T>
const Architecture& Learner<T>::architecture() const { return impl_->architecture; }
template <class T>
std::span<T> Learner<T>::weights() { return impl_->weights; }
template <class T>
std::span<const T> Learner<T>::weights() const { return impl_->weights; }
template <class T>
std::span<T> Learner<T>::statistic(std::string_view name) { return impl_->statistics.find(name)->second; }
template <class T>
std::span<const T> Learner<T>::statistic(std::string_view name) const { return impl_->statistics.find(name)->second; }

template <class T>
void Learner<T>::initialise(std::uint64_t seed) {
  Rng rng("weights", seed);
  T* at = impl_->weights.data();
  for (const TensorSpec& spec : impl_->specs) {
    if (!spec.trained) continue;
    double limit = 0;  // of a bias
    const auto before_relu = [&] { return spec.name.find(".embed.") != std::string::npos || spec.name.find(".post.") != std::string::npos || spec.name.starts_with("head.0"); };
    if (spec.name.starts_with("gru.") && spec.shape.size() == 2) limit = 1 / std::sqrt(impl_->architecture.d);
    else if (spec.shape.size() == 2 && before_relu()) limit = std::sqrt(6.0 / static_cast<double>(spec.shape[1]));
    else if (spec.name.find(".attention") != std::string::npos) limit = std::sqrt(6.0 / static_cast<double>(spec.shape[1] + 1));  // one vector a head
    else if (spec.shape.size() == 2) limit = std::sqrt(6.0 / static_cast<double>(spec.shape[0] + spec.shape[1]));
    for (std::size_t i = 0; i < size_of(spec); ++i) *at++ = limit > 0 ? static_cast<T>(rng.uniform(-limit, limit)) : T(0);
  }
}

template <class T>
std::vector<T> Learner<T>::gathered(const Batch& batch, Half half) const {
  if (batch.states.empty()) return {};
  const at::NoGradGuard guard;
  const auto [v, c, e] = impl_->inputs(batch);
  at::Tensor result;
  if (half == Half::rows) result = impl_->gather("rows", batch.rows, c, v, e);
  else result = impl_->gather("variables", batch.variables, Impl::pairs_of(batch, v), impl_->half_layer("rows", batch.rows, c, v, e), e);
  return {result.template const_data_ptr<T>(), result.template const_data_ptr<T>() + result.numel()};
}

template <class T>
void Learner<T>::score(const Batch& batch, Scores<T>& scores) const {
  if (batch.states.empty()) {
    scores = {};
    return;
  }
  const at::NoGradGuard guard;
  Impl::read_scores(batch, impl_->forward(batch), scores);
}

template <class T>
void Learner<T>::differentiate(const Batch& batch, double factor, Scores<T>& scores, std::span<T> gradient) const {
  if (batch.states.empty()) {
    scores = {};
    std::ranges::fill(gradient, T(0));
    return;
  }
  const at::Tensor logits = impl_->forward(batch);
  Impl::read_scores(batch, logits, scores);
  std::vector<T> to_log_probability(scores.logits.size());
  for (std::size_t s = 0; s < batch.states.size(); ++s) {
    for (auto k = static_cast<std::size_t>(batch.state_start[s]); k < static_cast<std::size_t>(batch.state_start[s + 1]); ++k) {
      to_log_probability[k] = static_cast<T>(-factor * batch.weight[s] * batch.target[k]);
    }
  }
  const at::Tensor to_logits = at::zeros_like(logits);
  segment_log_softmax_backward<T>(batch.state_start.data(), 0, batch.states.size(), scores.log_probability.data(), to_log_probability.data(), to_logits.data_ptr<T>());
  const auto gradients = torch::autograd::grad({logits}, impl_->trained, {to_logits}, /*retain_graph=*/std::nullopt, /*create_graph=*/false, /*allow_unused=*/true);
  T* at = gradient.data();
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const auto n = static_cast<std::size_t>(impl_->trained[i].numel());
    if (gradients[i].defined()) std::copy_n(gradients[i].contiguous().template const_data_ptr<T>(), n, at);
    else std::fill_n(at, n, T(0));  // the GRU's hidden weights, where no state has a past
    at += n;
  }
}

template <class T>
Model Learner<T>::to_model() const {
  Model model{impl_->architecture, {}, "{}"};
  const T* at = impl_->weights.data();
  for (const TensorSpec& spec : impl_->specs) {
    auto& values = model.tensors[spec.name];
    values.resize(size_of(spec));
    const T* from = spec.trained ? at : statistic(spec.name).data();
    std::transform(from, from + values.size(), values.begin(), [](T x) { return static_cast<float>(x); });
    if (spec.trained) at += values.size();
  }
  return model;
}

void use_one_thread_in_libtorch() {
  at::set_num_threads(1);
  // libtorch's setting does not reach an OpenBLAS with threads of its own; other BLAS libraries do not have this function.
  if (void* function = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) reinterpret_cast<void (*)(int)>(function)(1);
}

template class Learner<float>;
template class Learner<double>;

}  // namespace bough
