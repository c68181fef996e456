# What `cmake --install` puts under the prefix, which may be moved afterwards: nothing in it knows
# where it is but by its own place.
#
#   bin/holdfast                 the program
#   lib/libholdfast*.so.0        and what compilers look for: libholdfast*.so
#   include/holdfast/            the public headers
#   lib/cmake/Holdfast/          find_package(Holdfast CONFIG COMPONENTS xds grpc control)
#   lib/pkgconfig/holdfast-*.pc
#   share/holdfast/envoy.protoset  all xDS messages, if ./dev setup could make it
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set_target_properties(holdfast_library PROPERTIES EXPORT_NAME xds)
set_target_properties(holdfast_grpc_api PROPERTIES EXPORT_NAME grpc)
set_target_properties(holdfast_control_library PROPERTIES EXPORT_NAME control)
install(
  TARGETS holdfast_library holdfast_grpc_api holdfast_control_library
  EXPORT HoldfastTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS holdfast RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/holdfast
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.h")
install(
  FILES ${HOLDFAST_PROTOSET}
  DESTINATION ${CMAKE_INSTALL_DATADIR}/holdfast
  OPTIONAL)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Holdfast)
set(made ${PROJECT_BINARY_DIR}/package)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/HoldfastConfig.cmake.in
                              ${made}/HoldfastConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${made}/HoldfastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  EXPORT HoldfastTargets
  NAMESPACE Holdfast::
  DESTINATION ${package})
install(FILES ${made}/HoldfastConfig.cmake ${made}/HoldfastConfigVersion.cmake
        DESTINATION ${package})

# holdfast_pkg_config(<component> <description> <what it requires> <flags of the linker>)
function(holdfast_pkg_config component description requires libraries)
  set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${folder}
             OUTPUT_VARIABLE up)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/holdfast.pc.in ${made}/holdfast-${component}.pc @ONLY)
  install(FILES ${made}/holdfast-${component}.pc DESTINATION ${folder})
endfunction()
holdfast_pkg_config(xds "An xDS client that keeps the last good configuration"
                    "absl_status absl_statusor absl_strings" "-L\${libdir} -lholdfast")
holdfast_pkg_config(grpc "gRPC channels whose calls go where xDS says" "holdfast-xds grpc++" "")
holdfast_pkg_config(control "An xDS control plane inside a gRPC server" "holdfast-xds grpc++"
                    "-L\${libdir} -lholdfast-control")

# What must be built for it, without tests, benchmarks and examples.
add_custom_target(installables DEPENDS holdfast holdfast_library holdfast_control_library)
