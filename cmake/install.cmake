# cmake --install: bin/frit, its Halide in lib/frit (found by a relative RPATH), the CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(FRIT_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/frit)

set_target_properties(frit PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/frit")
install(TARGETS frit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(IMPORTED_RUNTIME_ARTIFACTS Halide::Halide
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/frit)

configure_package_config_file(cmake/fritConfig.cmake.in ${PROJECT_BINARY_DIR}/fritConfig.cmake
                              INSTALL_DESTINATION ${FRIT_CMAKE_FOLDER}
                              PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fritConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/frit.cmake ${PROJECT_BINARY_DIR}/fritConfig.cmake
              ${PROJECT_BINARY_DIR}/fritConfigVersion.cmake
        DESTINATION ${FRIT_CMAKE_FOLDER})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
