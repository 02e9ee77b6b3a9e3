# SPDX-License-Identifier: Apache-2.0
# Writes OUT with the version and the commit of SOURCE; leaves it alone if nothing changed.  A source, not a header: a commit recompiles one line.
set(commit "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(commit "${described}")
  endif()
endif()
set(text "#include \"bough/version.hpp\"\n\nconst char* const bough::version = \"${VERSION}\";\nconst char* const bough::commit = \"${commit}\";\n")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${text}" STREQUAL "${old}")
  file(WRITE ${OUT} "${text}")
endif()
