# Headers, library, and what finds them from a separate project: find_package(serrate), pkg-config serrate.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/serrate)

install(DIRECTORY include/serrate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS serrate EXPORT serrateTargets)
install(EXPORT serrateTargets NAMESPACE serrate:: DESTINATION ${package_dir})

configure_package_config_file(cmake/serrateConfig.cmake.in serrateConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(serrateConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/serrateConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/serrateConfigVersion.cmake
  cmake/FindSLEEF.cmake cmake/FindHighway.cmake cmake/FindSimdjson.cmake
  DESTINATION ${package_dir})

# For builds that ask pkg-config. Paths below the prefix, so that an installed tree may be moved.
foreach(dir LIBDIR INCLUDEDIR)
  string(TOLOWER pc_${dir} name)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(${name} "${CMAKE_INSTALL_${dir}}")
  else()
    set(${name} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
file(RELATIVE_PATH pc_to_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
set(pc_highway "")
if(Highway_FOUND)
  set(pc_highway "-lhwy_contrib -lhwy ")
endif()
set(pc_simdjson "")
if(Simdjson_FOUND)
  set(pc_simdjson "-lsimdjson ")
endif()
configure_file(cmake/serrate.pc.in serrate.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/serrate.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
