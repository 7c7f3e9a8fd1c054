# Headers, library and the CMake package: find_package(serrate) from a separate project.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/serrate)

install(DIRECTORY include/serrate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS serrate EXPORT serrateTargets)
install(EXPORT serrateTargets NAMESPACE serrate:: DESTINATION ${package_dir})

configure_package_config_file(cmake/serrateConfig.cmake.in serrateConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(serrateConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/serrateConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/serrateConfigVersion.cmake
  cmake/FindSLEEF.cmake
  DESTINATION ${package_dir})
