// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace bough {

/// The sparse parts of the networks, forward and backward, for float and double (docs/model.md has the equations).
///
/// They run over the edges of a graph by target: target i gathers from source[e] for e in start[i] .. start[i + 1], and term[e] says
/// which of the edges' distinct coefficients e has.  A packed batch is one such graph whose parts do not touch each other.  Every
/// function works on the targets begin .. end, so that callers may split a batch between threads where the parts share no source
/// and no term; results do not depend on the split.
///
/// Arrays are row-major.  d is a multiple of 16.  Backward functions ADD to the gradients that they are given.
struct EdgesByTarget {
  const std::int32_t* start;   // (n_targets + 1)
  const std::int32_t* source;  // (n_edges)
  const std::int32_t* term;    // (n_edges)
};

/// Attention in which p_i, q_j and r_ij are ADDED inside the LeakyReLU; a is one vector a head.
///
///   logit_ij = a' LeakyReLU(p_i + q_j + r_ij)        logit_ii = a' LeakyReLU(2 p_i)
///   w_i.     = softmax over i's neighbours and i itself
///   out_i    = 1/H sum over heads of  w_ii p_i + sum_j w_ij q_j
template <class T>
struct SumAttention {
  EdgesByTarget edges;
  std::size_t heads;
  std::size_t d;
  const T* target;     // (n_targets, H, d)  p
  const T* source;     // (n_sources, H, d)  q
  const T* term;       // (n_terms, H, d)    r
  const T* attention;  // (H, d)             a
};

/// Attention in which they are CONCATENATED: the logit is then a sum of one number for each, and p_i's cancels in the softmax.
///
///   logit_ij = t_j + u_ij        logit_ii = s_i
template <class T>
struct ConcatAttention {
  EdgesByTarget edges;
  std::size_t heads;
  std::size_t d;
  const T* target;        // (n_targets, H, d)  p
  const T* source;        // (n_sources, H, d)  q
  const T* target_logit;  // (n_targets, H)     s
  const T* source_logit;  // (n_sources, H)     t
  const T* term_logit;    // (n_terms, H)       u
};

/// What backward needs of forward.
template <class T>
struct AttentionWeights {
  T* edge;  // (n_edges, H)    w_ij: target after target, and for each (H, its edges)
  T* self;  // (n_targets, H)  w_ii
};

template <class T>
void attend(const SumAttention<T>& x, std::size_t begin, std::size_t end, AttentionWeights<T> weights, T* out);  // out (n_targets, d)
template <class T>
void attend(const ConcatAttention<T>& x, std::size_t begin, std::size_t end, AttentionWeights<T> weights, T* out);

template <class T>
struct SumAttentionGradient {
  T* target;     // (n_targets, H, d)
  T* source;     // (n_sources, H, d)
  T* term;       // (n_terms, H, d)
  T* attention;  // (H, d)  not split by target: give each thread its own
};
template <class T>
struct ConcatAttentionGradient {
  T* target;        // (n_targets, H, d)
  T* source;        // (n_sources, H, d)
  T* target_logit;  // (n_targets, H)
  T* source_logit;  // (n_sources, H)
  T* term_logit;    // (n_terms, H)
};

/// `out` is the gradient of forward's out.
template <class T>
void attend_backward(const SumAttention<T>& x, std::size_t begin, std::size_t end, AttentionWeights<const T> weights, const T* out, const SumAttentionGradient<T>& gradient);
template <class T>
void attend_backward(const ConcatAttention<T>& x, std::size_t begin, std::size_t end, AttentionWeights<const T> weights, const T* out, const ConcatAttentionGradient<T>& gradient);

/// Where ConcatAttention's logits come from, for n rows:  out = a' LeakyReLU(x) for each head; x (n, H, d), a (H, d), out (n, H).
template <class T>
void leaky_dot(const T* a, std::size_t heads, std::size_t d, std::size_t n, const T* x, T* out);
/// `out` is the gradient of forward's out; adds to those of a and x.
template <class T>
void leaky_dot_backward(const T* a, std::size_t heads, std::size_t d, std::size_t n, const T* x, const T* out, T* to_a, T* to_x);

/// The sum over a target's edges of  relu(p_i + q_j + r_ij): the half convolution of gcnn, without the linear layer that follows.
template <class T>
struct Convolution {
  EdgesByTarget edges;
  std::size_t d;
  const T* target;  // (n_targets, d)  p
  const T* source;  // (n_sources, d)  q
  const T* term;    // (n_terms, d)    r
};
template <class T>
void convolve(const Convolution<T>& x, std::size_t begin, std::size_t end, T* out);  // out (n_targets, d)
template <class T>
void convolve_backward(const Convolution<T>& x, std::size_t begin, std::size_t end, const T* out, T* target, T* source, T* term);

/// log softmax within segments:  out_k = x_k - log(sum over k's segment of exp x).  `start` (n_segments + 1).
template <class T>
void segment_log_softmax(const std::int32_t* start, std::size_t begin, std::size_t end, const T* x, T* out);
/// `y` is forward's result, `out` its gradient.
template <class T>
void segment_log_softmax_backward(const std::int32_t* start, std::size_t begin, std::size_t end, const T* y, const T* out, T* x);

}  // namespace bough
