// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>
#include <print>
int main() { std::println("{}", torch::ones({2}).sum().item<float>()); }
