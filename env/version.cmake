# SPDX-License-Identifier: Apache-2.0
# Writes OUT with the version and the commit of SOURCE; leaves it alone if nothing changed, so that nothing is rebuilt.
set(commit "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(commit "${described}")
  endif()
endif()
set(text "#pragma once\n\nnamespace bough {\ninline constexpr const char* version = \"${VERSION}\";\ninline constexpr const char* commit = \"${commit}\";\n}  // namespace bough\n")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${text}" STREQUAL "${old}")
  file(WRITE ${OUT} "${text}")
endif()
