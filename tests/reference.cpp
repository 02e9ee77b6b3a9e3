// SPDX-License-Identifier: Apache-2.0
#include "tests/reference.hpp"

#include <cassert>
#include <cmath>
#include <map>
#include <string>

namespace bough::test {
namespace {

using Vector = std::vector<double>;

struct Edge {
  std::size_t source;
  float coefficient;
};

/// The weights by name, and the layers that they make.
struct Layers {
  const Model& model;
  std::size_t d = static_cast<std::size_t>(model.architecture.d);
  std::size_t heads = static_cast<std::size_t>(model.architecture.heads);

  [[nodiscard]] const std::vector<float>& tensor(const std::string& name) const { return model.tensors.at(name); }

  /// W x
  [[nodiscard]] Vector product(const std::string& name, const Vector& x) const {
    const std::vector<float>& weight = tensor(name + ".weight");
    Vector y(weight.size() / x.size());
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t k = 0; k < x.size(); ++k) y[o] += weight[o * x.size() + k] * x[k];
    }
    return y;
  }

  /// W x + b
  [[nodiscard]] Vector linear(const std::string& name, const Vector& x) const {
    Vector y = product(name, x);
    for (std::size_t o = 0; o < y.size(); ++o) y[o] += tensor(name + ".bias").at(o);
    return y;
  }

  /// n(x)
  template <class T>
  [[nodiscard]] Vector normalized(const std::string& name, std::span<const T> x) const {
    Vector y(x.size());
    for (std::size_t f = 0; f < x.size(); ++f) y[f] = (double{x[f]} - tensor(name + ".mean").at(f)) / tensor(name + ".std").at(f);
    return y;
  }
};

Vector relu(Vector x) {
  for (double& value : x) value = value > 0 ? value : 0;
  return x;
}

double leaky_relu(double x) { return x > 0 ? x : 0.2 * x; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Vector concatenated(Vector a, const Vector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Section 1.
Vector embed(const Layers& net, const std::string& name, std::span<const float> features) {
  return relu(net.linear(name + ".embed.1", relu(net.linear(name + ".embed.0", net.normalized(name, features)))));
}

// Section 2, gcnn.
Vector convolve(const Layers& net, const std::string& name, const Vector& target, std::span<const Edge> edges, const std::vector<Vector>& q) {
  const Vector p = net.linear(name + ".target", target);
  Vector gathered(net.d);
  for (const Edge& edge : edges) {
    const Vector r = net.product(name + ".edge", net.normalized("edge", std::span<const float>(&edge.coefficient, 1)));
    Vector sum(net.d);
    for (std::size_t k = 0; k < net.d; ++k) sum[k] = p[k] + q[edge.source][k] + r[k];
    const Vector message = relu(sum);
    for (std::size_t k = 0; k < net.d; ++k) gathered[k] += message[k];
  }
  return gathered;
}

// Section 2, gat and tgat: r_ij depends on the coefficient alone, so it is kept by coefficient.
Vector attend(const Layers& net, const std::string& name, const Vector& target, std::span<const Edge> edges, const std::vector<Vector>& q,
              std::map<float, Vector>& terms) {
  const bool sum_inside = net.model.architecture.attention == Attention::sum;
  const std::vector<float>& a = net.tensor(name + (sum_inside ? ".attention" : ".attention.source"));
  const std::vector<float>& a_r = sum_inside ? a : net.tensor(name + ".attention.edge");
  const Vector p = net.linear(name + ".target", target);
  Vector gathered(net.d);
  for (const Edge& edge : edges) {
    if (terms.contains(edge.coefficient)) continue;
    terms[edge.coefficient] = net.product(name + ".edge", relu(net.linear("edge.embed", net.normalized("edge", std::span<const float>(&edge.coefficient, 1)))));
  }
  for (std::size_t head = 0; head < net.heads; ++head) {
    const std::size_t first = head * net.d;
    std::vector<double> logits{0};  // of i itself, then of its neighbours
    for (std::size_t k = first; k < first + net.d; ++k) logits[0] += a[k] * leaky_relu(sum_inside ? 2 * p[k] : p[k]);
    for (const Edge& edge : edges) {
      const Vector& r = terms.at(edge.coefficient);
      const Vector& qj = q[edge.source];
      double logit = 0;
      for (std::size_t k = first; k < first + net.d; ++k) {
        if (sum_inside) logit += a[k] * leaky_relu(p[k] + qj[k] + r[k]);
        else logit += a[k] * leaky_relu(qj[k]) + a_r[k] * leaky_relu(r[k]);
      }
      logits.push_back(logit);
    }
    double largest = logits[0];
    for (const double logit : logits) largest = std::max(largest, logit);
    double total = 0;
    std::vector<double> w;
    for (const double logit : logits) total += w.emplace_back(std::exp(logit - largest));
    for (std::size_t k = 0; k < net.d; ++k) {
      double sum = w[0] / total * p[first + k];
      for (std::size_t e = 0; e < edges.size(); ++e) sum += w[e + 1] / total * q[edges[e].source][first + k];
      gathered[k] += sum / static_cast<double>(net.heads);
    }
  }
  return gathered;
}

std::vector<Vector> half_layer(const Layers& net, const std::string& name, const std::vector<Vector>& targets, const std::vector<Vector>& sources,
                               const std::vector<std::vector<Edge>>& edges) {
  const bool attends = net.model.architecture.attends();
  std::vector<Vector> q;
  for (const Vector& source : sources) q.push_back(attends ? net.linear(name + ".source", source) : net.product(name + ".source", source));
  std::map<float, Vector> terms;
  std::vector<Vector> result;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Vector sum = attends ? attend(net, name, targets[i], edges[i], q, terms) : convolve(net, name, targets[i], edges[i], q);
    const Vector gathered = net.normalized(name + ".gathered", std::span<const double>(sum));
    result.push_back(relu(net.linear(name + ".post.1", relu(net.linear(name + ".post.0", concatenated(gathered, targets[i]))))));
  }
  return result;
}

// Section 3: one step of the GRU.
Vector remember(const Layers& net, const Vector& embedding, const Vector& h) {
  const Vector x = net.linear("gru.input", embedding);
  const Vector y = net.linear("gru.hidden", h);
  Vector next(net.d);
  for (std::size_t k = 0; k < net.d; ++k) {
    const double r = sigmoid(x[k] + y[k]);
    const double z = sigmoid(x[net.d + k] + y[net.d + k]);
    const double n = std::tanh(x[2 * net.d + k] + r * y[2 * net.d + k]);
    next[k] = (1 - z) * n + z * h[k];
  }
  return next;
}

}  // namespace

std::vector<double> reference_embeddings(const Model& model, const BipartiteGraph& graph) {
  const Layers net{model};
  const Topology& topology = graph.topology;
  const std::size_t n_rows = topology.n_rows();
  const std::size_t n_variables = topology.n_variables();
  // Both directions from the view by row, so that the view by variable is under test too.
  std::vector<std::vector<Edge>> of_row(n_rows);
  std::vector<std::vector<Edge>> of_variable(n_variables);
  for (std::size_t i = 0; i < n_rows; ++i) {
    for (auto e = static_cast<std::size_t>(topology.row_start[i]); e < static_cast<std::size_t>(topology.row_start[i + 1]); ++e) {
      const auto j = static_cast<std::size_t>(topology.edge_variable[e]);
      of_row[i].push_back({j, topology.edge_coefficient[e]});
      of_variable[j].push_back({i, topology.edge_coefficient[e]});
    }
  }
  std::vector<Vector> v;
  for (std::size_t j = 0; j < n_variables; ++j) v.push_back(embed(net, "variable", std::span(graph.variable_features).subspan(j * n_variable_features, n_variable_features)));
  std::vector<Vector> c;
  for (std::size_t i = 0; i < n_rows; ++i) c.push_back(embed(net, "row", std::span(graph.row_features).subspan(i * n_row_features, n_row_features)));
  c = half_layer(net, "rows", c, v, of_row);
  v = half_layer(net, "variables", v, c, of_variable);
  std::vector<double> flat;
  for (const Vector& x : v) flat.insert(flat.end(), x.begin(), x.end());
  return flat;
}

std::vector<double> reference_head(const Model& model, std::span<const std::vector<double>* const> embeddings, std::span<const std::int32_t> candidates) {
  const Layers net{model};
  assert(!embeddings.empty() && embeddings.size() <= (model.architecture.remembers() ? static_cast<std::size_t>(model.architecture.memory) : 1));
  std::vector<double> logits;
  for (const std::int32_t j : candidates) {
    const auto embedding = [&](const std::vector<double>& all) {
      const auto begin = all.begin() + j * model.architecture.d;
      return Vector(begin, begin + model.architecture.d);
    };
    Vector h(net.d);
    if (model.architecture.remembers()) {
      for (const std::vector<double>* decision : embeddings) h = remember(net, embedding(*decision), h);
    } else {
      h = embedding(*embeddings.back());
    }
    logits.push_back(net.product("head.1", relu(net.linear("head.0", h))).at(0));
  }
  return logits;
}

std::vector<double> reference_logits(const Model& model, std::span<const BipartiteGraph* const> history, std::span<const std::int32_t> candidates) {
  std::vector<std::vector<double>> embeddings;
  for (const BipartiteGraph* graph : history) embeddings.push_back(reference_embeddings(model, *graph));
  std::vector<const std::vector<double>*> pointers;
  for (const auto& decision : embeddings) pointers.push_back(&decision);
  return reference_head(model, pointers, candidates);
}

}  // namespace bough::test
