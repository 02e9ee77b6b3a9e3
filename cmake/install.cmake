# SPDX-License-Identifier: Apache-2.0
#
# The library for programs that embed SCIP, and what `cmake --install` copies.  docs/embedding.md shows how it is used.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The same objects serve the executables and the shared library, so they are position independent.  Without interposition, or the
# compiler could inline nothing across functions of one file.
foreach(objects bough_base bough_core)
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${objects} PRIVATE -fno-semantic-interposition)
endforeach()

# From an archive the linker takes what the public functions need and nothing else: no families, no collecting, no command line.
add_library(bough_archive STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:bough_base> $<TARGET_OBJECTS:bough_core>)
add_library(libbough SHARED src/bough/branch/c_interface.cpp)
target_include_directories(libbough SYSTEM PRIVATE ${SCIP_INCLUDE_DIRS})
target_include_directories(libbough INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(libbough INTERFACE cxx_std_20)
target_link_libraries(libbough PUBLIC libscip
  PRIVATE $<BUILD_INTERFACE:bough_flags> bough_archive ZLIB::ZLIB OpenSSL::Crypto zstd::libzstd_shared hwy::hwy)
target_link_options(libbough PRIVATE -Wl,--as-needed -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/libbough.map)
if(NOT BOUGH_SANITIZE)  # the sanitizers' own functions come with the executable
  target_link_options(libbough PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(libbough PROPERTIES OUTPUT_NAME bough EXPORT_NAME bough VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/libbough.map)
if(TARGET bough-tests)
  add_dependencies(bough-tests libbough)  # they install it
endif()

install(TARGETS bough bough-train RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS libbough EXPORT bough LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES src/bough/bough.hpp src/bough/bough.h src/bough/error.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bough)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/bough)
install(EXPORT bough FILE bough-targets.cmake NAMESPACE bough:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/bough-config.cmake.in ${PROJECT_BINARY_DIR}/bough-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bough-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bough-config.cmake ${PROJECT_BINARY_DIR}/bough-config-version.cmake DESTINATION ${package})

# Relative to the file itself: the prefix may be chosen at installation, or moved later.
file(RELATIVE_PATH BOUGH_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/bough.pc.in ${PROJECT_BINARY_DIR}/bough.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bough.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
