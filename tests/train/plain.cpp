// SPDX-License-Identifier: Apache-2.0
#include "tests/train/plain.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <deque>
#include <map>
#include <optional>

namespace bough::test {
namespace {

using Torch = at::Tensor;

template <class T>
class Plain {
 public:
  explicit Plain(const Learner<T>& network) : a_(network.architecture()) {
    const T* at = network.weights().data();
    for (const TensorSpec& spec : tensors_of(a_)) {
      const std::vector<std::int64_t> shape(spec.shape.begin(), spec.shape.end());
      const T* from = spec.trained ? at : network.statistic(spec.name).data();
      Torch tensor = at::from_blob(const_cast<T*>(from), shape, at::dtype<T>()).clone();
      if (spec.trained) {
        trained_.push_back(tensor.requires_grad_());
        at += tensor.numel();
      }
      tensors_.emplace(spec.name, tensor);
    }
  }

  /// Logits of all variables from their embeddings, or from their memory.
  Torch logits(const Torch& h) const { return linear(linear(h, "head.0").relu(), "head.1", false).squeeze(1); }

  /// The memory of all variables after one more decision; undefined before the first.
  Torch gru(const Torch& x, const Torch& before) const {
    const Torch h = before.defined() ? before : at::zeros_like(x);
    const auto in = linear(x, "gru.input").chunk(3, 1), hidden = linear(h, "gru.hidden").chunk(3, 1);
    const Torch r = (in[0] + hidden[0]).sigmoid(), z = (in[1] + hidden[1]).sigmoid(), n = (in[2] + r * hidden[2]).tanh();
    return (1 - z) * n + z * h;
  }

  /// The edges of a topology as index_select and index_add want them.
  struct Edges {
    explicit Edges(const Topology& topology) {
      std::vector<std::int64_t> row_of_edge, variable_of_edge(topology.edge_variable.begin(), topology.edge_variable.end());
      for (std::size_t row = 0; row < topology.n_rows(); ++row) row_of_edge.resize(static_cast<std::size_t>(topology.row_start[row + 1]), static_cast<std::int64_t>(row));
      const auto index = [](std::vector<std::int64_t>& values) { return at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::kLong).clone(); };
      rows = index(row_of_edge);
      variables = index(variable_of_edge);
    }
    Torch rows, variables;
  };

  /// The embeddings of all variables after both half layers.
  Torch embedding(const Topology& topology, const Edges& edges, const std::vector<float>& variable_features, const std::vector<float>& row_features) const {
    const auto embed = [&](const std::vector<float>& values, const std::string& name) { return linear(linear(input(values, name), name + ".embed.0").relu(), name + ".embed.1").relu(); };
    const Torch v = embed(variable_features, "variable"), c = embed(row_features, "row"), e = input(topology.edge_coefficient, "edge");
    const Torch c_new = half_layer("rows", c, v, e, edges.rows, edges.variables);
    return half_layer("variables", v, c_new, e, edges.variables, edges.rows);
  }

  [[nodiscard]] const Architecture& architecture() const { return a_; }
  [[nodiscard]] const std::vector<Torch>& trained() const { return trained_; }

 private:
  const Torch& tensor(const std::string& name) const { return tensors_.at(name); }
  Torch linear(const Torch& x, const std::string& name, bool bias = true) const {
    const Torch product = at::matmul(x, tensor(name + ".weight").t());
    return bias ? product + tensor(name + ".bias") : product;
  }
  Torch input(const std::vector<float>& values, const std::string& name) const {
    const auto width = tensor(name + ".mean").size(0);
    const Torch x = at::from_blob(const_cast<float*>(values.data()), {static_cast<std::int64_t>(values.size()) / width, width}, at::kFloat).to(at::CppTypeToScalarType<T>::value);
    return (x - tensor(name + ".mean")) / tensor(name + ".std");
  }

  Torch half_layer(const std::string& name, const Torch& x, const Torch& y, const Torch& e, const Torch& target, const Torch& source) const {
    const Torch sum = a_.attends() ? attend(name, x, y, e, target, source) : convolve(name, x, y, e, target, source);
    const Torch gathered = (sum - tensor(name + ".gathered.mean")) / tensor(name + ".gathered.std");
    return linear(linear(at::cat({gathered, x}, 1), name + ".post.0").relu(), name + ".post.1").relu();
  }

  Torch convolve(const std::string& name, const Torch& x, const Torch& y, const Torch& e, const Torch& target, const Torch& source) const {
    const Torch p = linear(x, name + ".target"), q = linear(y, name + ".source", false), r = linear(e, name + ".edge", false);
    return at::zeros_like(x).index_add(0, target, (p.index_select(0, target) + q.index_select(0, source) + r).relu());
  }

  Torch attend(const std::string& name, const Torch& x, const Torch& y, const Torch& e, const Torch& target, const Torch& source) const {
    const auto heads = [&](const Torch& z) { return z.view({z.size(0), a_.heads, a_.d}); };
    const Torch p = heads(linear(x, name + ".target")), q = heads(linear(y, name + ".source"));
    const Torch r = heads(linear(linear(e, "edge.embed").relu(), name + ".edge", false));
    const Torch p_i = p.index_select(0, target), q_j = q.index_select(0, source);
    const auto leaky = [](const Torch& z) { return at::leaky_relu(z, 0.2); };
    Torch edge_logit, self_logit;  // (n_edges, H), (n_targets, H)
    if (a_.attention == Attention::sum) {
      edge_logit = (leaky(p_i + q_j + r) * tensor(name + ".attention")).sum(2);
      self_logit = (leaky(2 * p) * tensor(name + ".attention")).sum(2);
    } else {
      edge_logit = (leaky(q_j) * tensor(name + ".attention.source")).sum(2) + (leaky(r) * tensor(name + ".attention.edge")).sum(2);
      self_logit = (leaky(p) * tensor(name + ".attention.source")).sum(2);
    }
    const Torch edge_weight = edge_logit.exp(), self_weight = self_logit.exp();
    const Torch total = self_weight.index_add(0, target, edge_weight);
    const Torch gathered = (self_weight.unsqueeze(2) * p).index_add(0, target, edge_weight.unsqueeze(2) * q_j);
    return (gathered / total.unsqueeze(2)).mean(1);
  }

  Architecture a_;
  std::map<std::string, Torch> tensors_;
  std::vector<Torch> trained_;
};

/// The target of docs/model.md section 5, without its special cases' code.
std::vector<double> target_of(const Label& label, const PackOptions& options) {
  const double best = label.score[static_cast<std::size_t>(label.choice)];
  std::vector<double> target;
  double sum = 0;
  for (std::size_t k = 0; k < label.score.size(); ++k) {
    target.push_back(options.target == Target::soft && best > 0 ? std::pow(label.score[k] / best, options.sharpness) : label.best[k]);
    sum += target.back();
  }
  for (double& x : target) x /= sum;
  return target;
}

}  // namespace

template <class T>
PlainAnswer<T> plain_answer(const Learner<T>& network, std::span<const Window> windows, const PackOptions& options, double factor) {
  const Plain<T> plain(network);
  PlainAnswer<T> answer;
  Torch loss = at::zeros({}, at::dtype<T>());
  const auto memory = static_cast<std::size_t>(options.memory);
  for (const Window& window : windows) {
    const auto states = window.states();
    double n_labels = 0;
    for (const State& state : states) n_labels += state.label.has_value();
    std::vector<Torch> embeddings, memories;  // by state; a memory that begins where the one before it begins continues it
    std::size_t began = 0;
    for (std::size_t s = 0; s < states.size(); ++s) {
      const Topology& topology = window.topology(states[s]);
      embeddings.push_back(plain.embedding(topology, typename Plain<T>::Edges(topology), states[s].variable_features, states[s].row_features));
      std::size_t first = s;
      const std::size_t earliest = options.history == History::pieces ? s / memory * memory : s + 1 - std::min(memory, s + 1);
      while (first > earliest && states[first - 1].topology == states[s].topology) --first;
      if (plain.architecture().remembers()) {
        Torch h;
        if (s > 0 && first == began && first < s) h = plain.gru(embeddings[s], memories.back());
        else for (std::size_t k = first; k <= s; ++k) h = plain.gru(embeddings[k], h);
        memories.push_back(h);
        began = first;
      }
      if (!states[s].label) continue;
      const std::vector<std::int64_t> candidates(states[s].candidates.begin(), states[s].candidates.end());
      const Torch logits = plain.logits(plain.architecture().remembers() ? memories.back() : embeddings.back()).index_select(0, at::tensor(candidates));
      const auto target = target_of(*states[s].label, options);
      const Torch cross_entropy = -(at::log_softmax(logits, 0) * at::tensor(target).to(logits.scalar_type())).sum();
      loss = loss + cross_entropy * (factor / n_labels);
      answer.logits.insert(answer.logits.end(), logits.template const_data_ptr<T>(), logits.template const_data_ptr<T>() + logits.numel());
    }
  }
  answer.loss = static_cast<double>(loss.template item<T>());
  const auto gradients = torch::autograd::grad({loss}, plain.trained(), {}, std::nullopt, false, /*allow_unused=*/true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Torch gradient = gradients[i].defined() ? gradients[i].contiguous() : at::zeros_like(plain.trained()[i]);
    answer.gradient.insert(answer.gradient.end(), gradient.template const_data_ptr<T>(), gradient.template const_data_ptr<T>() + gradient.numel());
  }
  return answer;
}

struct PlainDecider::Impl {
  explicit Impl(const Model& model) : network(Learner<float>(model)) {}
  Plain<float> network;
  std::uint64_t version = 0;
  std::optional<Plain<float>::Edges> edges;
  std::deque<Torch> embeddings;  // of the last L decisions, the oldest first
};

PlainDecider::PlainDecider(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
PlainDecider::~PlainDecider() = default;
PlainDecider::PlainDecider(PlainDecider&&) noexcept = default;

void PlainDecider::score(const BipartiteGraph& graph, std::uint64_t topology_version, std::span<const std::int32_t> candidates, std::span<float> logits) {
  const at::NoGradGuard guard;
  Impl& i = *impl_;
  if (i.version != topology_version) {
    i.version = topology_version;
    i.edges.emplace(graph.topology);
    i.embeddings.clear();
  }
  i.embeddings.push_back(i.network.embedding(graph.topology, *i.edges, graph.variable_features, graph.row_features));
  Torch h = i.embeddings.back();
  if (i.network.architecture().remembers()) {
    if (i.embeddings.size() > static_cast<std::size_t>(i.network.architecture().memory)) i.embeddings.pop_front();
    h = Torch();
    for (const Torch& embedding : i.embeddings) h = i.network.gru(embedding, h);
  } else {
    i.embeddings.clear();
  }
  const std::vector<std::int64_t> wanted(candidates.begin(), candidates.end());
  const Torch all = i.network.logits(h).index_select(0, at::tensor(wanted));
  std::copy_n(all.const_data_ptr<float>(), logits.size(), logits.begin());
}

template PlainAnswer<float> plain_answer(const Learner<float>&, std::span<const Window>, const PackOptions&, double);
template PlainAnswer<double> plain_answer(const Learner<double>&, std::span<const Window>, const PackOptions&, double);

}  // namespace bough::test
