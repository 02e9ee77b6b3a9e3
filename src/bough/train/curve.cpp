// SPDX-License-Identifier: Apache-2.0
#include "bough/train/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <functional>

namespace bough {
namespace {

constexpr double panel_width = 300, panel_height = 170, left = 46, top = 34, gap = 70;

/// 1, 2 or 5 times a power of ten: about four steps from 0 to `range`.
double step_of(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 4)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (range / (factor * power) <= 5) return factor * power;
  }
  return 10 * power;
}

struct Line {
  std::string_view style;
  std::function<double(const EpochRecord&)> value;
};

/// One panel: axes with round numbers, then the lines.
std::string panel(const std::vector<EpochRecord>& epochs, std::string_view title, double x0, double high, const std::array<Line, 2>& lines) {
  std::string text = std::format("<text class=\"title\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", x0, top - 14, title);
  const double n = std::max(2.0, static_cast<double>(epochs.size()));
  const auto x = [&](double epoch) { return x0 + (epoch - 1) / (n - 1) * panel_width; };
  const double step = step_of(high), highest = step * std::ceil(high / step - 1e-9);
  const auto y = [&](double value) { return top + panel_height * (1 - value / highest); };
  for (double tick = 0; tick <= highest + step / 2; tick += step) {
    text += std::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}h{:.0f}\"/><text class=\"tick\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{:.6g}</text>\n", x0, y(tick), panel_width, x0 - 6, y(tick) + 4, tick);
  }
  const double epoch_step = std::max(1.0, step_of(n - 1));
  for (double epoch = 1; epoch <= n; epoch = epoch == 1 && epoch_step > 1 ? epoch_step : epoch + epoch_step) {
    text += std::format("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{:.0f}</text>\n", x(epoch), top + panel_height + 16, epoch);
  }
  for (const Line& line : lines) {
    std::string points;
    for (const EpochRecord& record : epochs) points += std::format("{:.1f},{:.1f} ", x(record.epoch), y(line.value(record)));
    text += std::format("<polyline class=\"{}\" points=\"{}\"/>\n", line.style, points);
    // A single epoch has no line.
    if (epochs.size() == 1) text += std::format("<circle class=\"{} dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>\n", line.style, x(1), y(line.value(epochs[0])));
  }
  return text;
}

}  // namespace

std::string learning_curve_svg(const std::vector<EpochRecord>& epochs) {
  const std::array<Line, 2> losses{Line{"train", [](const EpochRecord& r) { return r.train.mean_loss(); }}, Line{"valid", [](const EpochRecord& r) { return r.valid.mean_loss(); }}};
  const std::array<Line, 2> accuracies{Line{"train", [](const EpochRecord& r) { return 100 * r.train.accuracy(0); }}, Line{"valid", [](const EpochRecord& r) { return 100 * r.valid.accuracy(0); }}};
  const auto highest = [&](const std::array<Line, 2>& lines) {
    double high = 1e-9;
    for (const EpochRecord& record : epochs) {
      for (const Line& line : lines) high = std::max(high, line.value(record));
    }
    return high;
  };
  constexpr double second = left + panel_width + gap, width = second + panel_width + 20, height = top + panel_height + 58;
  std::string text = std::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" role=\"img\" aria-label=\"loss and top-1 accuracy over epochs\">\n", width, height, width);
  text +=
      "<style>\n"
      "text{font:12px system-ui,sans-serif;fill:#333}.title{font-weight:600}.tick{font-size:11px;fill:#666}\n"
      ".grid{stroke:#8884;fill:none}polyline{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
      ".train{stroke:#d97706;fill:none}.valid{stroke:#2563eb;fill:none}\n"
      "@media(prefers-color-scheme:dark){text{fill:#ddd}.tick{fill:#aaa}.train{stroke:#fbbf24}.valid{stroke:#60a5fa}}\n"
      "</style>\n";
  text += panel(epochs, "loss", left, highest(losses), losses);
  text += panel(epochs, "top-1 accuracy, %", second, highest(accuracies), accuracies);
  const double y = height - 14;
  text += std::format("<path class=\"train\" stroke-width=\"1.8\" d=\"M{:.0f} {:.0f}h24\"/><text x=\"{:.0f}\" y=\"{:.0f}\">training</text>\n", left, y - 4, left + 30, y);
  text += std::format("<path class=\"valid\" stroke-width=\"1.8\" d=\"M{:.0f} {:.0f}h24\"/><text x=\"{:.0f}\" y=\"{:.0f}\">validation</text>\n", left + 110, y - 4, left + 140, y);
  text += std::format("<text class=\"tick\" text-anchor=\"end\" x=\"{:.0f}\" y=\"{:.0f}\">epochs</text>\n", width - 20, y);
  return text + "</svg>\n";
}

}  // namespace bough
