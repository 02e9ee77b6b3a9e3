# SPDX-License-Identifier: Apache-2.0
#
# The plotting library that becomes a part of the program, and through it of every report's page.
find_file(BOUGH_VEGA_JS vega.min.js PATHS /usr/share/javascript/vega REQUIRED)
find_file(BOUGH_VEGA_INTERPRETER_JS vega-interpreter.min.js PATHS /usr/share/nodejs/vega-interpreter/build /usr/share/javascript/vega REQUIRED)
find_file(BOUGH_VEGA_COPYRIGHT copyright PATHS /usr/share/doc/libjs-vega /usr/share/doc/node-vega NO_DEFAULT_PATH REQUIRED)
set_source_files_properties(src/bough/report/assets.cpp PROPERTIES COMPILE_DEFINITIONS
  "BOUGH_VEGA_JS=\"${BOUGH_VEGA_JS}\";BOUGH_VEGA_INTERPRETER_JS=\"${BOUGH_VEGA_INTERPRETER_JS}\";BOUGH_VEGA_COPYRIGHT=\"${BOUGH_VEGA_COPYRIGHT}\"")
