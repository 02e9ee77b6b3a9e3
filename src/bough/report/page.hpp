#pragma once
#include <span>
#include <string>
#include "bough/evaluate/record.hpp"
namespace bough { inline std::string page_html(std::span<const Evaluation>) { return ""; } }
