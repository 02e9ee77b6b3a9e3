// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Files that are part of the program: those of report/assets/, and the plotting library as the environment has it.
namespace bough::assets {

std::string_view page_css();
std::string_view page_js();
std::string_view render_js();
std::string_view vega_js();
std::string_view vega_interpreter_js();
std::string_view licences();  ///< of the two above, as plain text

}  // namespace bough::assets
