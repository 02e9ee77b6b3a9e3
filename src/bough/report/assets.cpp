// SPDX-License-Identifier: Apache-2.0
//
// The paths of the libraries are macros from cmake/page.cmake.  A compiler cache has to know #embed (ccache since 4.14), or it would give
// back old files.
#include "bough/report/assets.hpp"

#include <string>

namespace bough::assets {
namespace {

constexpr unsigned char css[] = {
#embed "assets/page.css"
};
constexpr unsigned char js[] = {
#embed "assets/page.js"
};
constexpr unsigned char render[] = {
#embed "assets/render.js"
};
constexpr unsigned char vega[] = {
#embed BOUGH_VEGA_JS
};
constexpr unsigned char interpreter[] = {
#embed BOUGH_VEGA_INTERPRETER_JS
};
constexpr unsigned char notice[] = {
#embed "assets/licences.txt"
};
constexpr unsigned char copyright[] = {
#embed BOUGH_VEGA_COPYRIGHT
};

template <std::size_t n>
std::string_view text(const unsigned char (&bytes)[n]) {
  return {reinterpret_cast<const char*>(bytes), n};
}

}  // namespace

std::string_view page_css() { return text(css); }
std::string_view page_js() { return text(js); }
std::string_view render_js() { return text(render); }
std::string_view vega_js() { return text(vega); }
std::string_view vega_interpreter_js() { return text(interpreter); }
std::string_view licences() {
  static const std::string both = std::string(text(notice)) + std::string(text(copyright));
  return both;
}

}  // namespace bough::assets
