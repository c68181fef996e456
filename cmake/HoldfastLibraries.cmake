# The two shared libraries, made of the object files of the rooms.
#
#   libholdfast.so.0          Holdfast::xds, Holdfast::grpc
#   libholdfast-control.so.0  Holdfast::control, which uses of libholdfast what it exports, no more
#
# Both have hidden copies of the pure rooms that both need. What there may be only one of in a
# process (the clients, the log, the registered policies) is in libholdfast.

include(GNUInstallDirs)

# holdfast_shared_library(<target> NAME <name> EXPORTS <map> ROOTS <room:file...> ROOMS <targets...>)
#
# ROOTS are the files that define what is exported; they bring in what they need of the archives of
# the rooms.
function(holdfast_shared_library target)
  cmake_parse_arguments(ARG "" "NAME;EXPORTS" "ROOTS;ROOMS" ${ARGN})
  set(objects)
  foreach(root IN LISTS ARG_ROOTS)
    string(REPLACE ":" ";" root ${root})
    list(GET root 0 room)
    list(GET root 1 file)
    list(APPEND objects $<FILTER:$<TARGET_OBJECTS:holdfast_${room}>,INCLUDE,/${file}\\.cc>)
  endforeach()
  add_library(${target} SHARED ${objects})
  if(NOT HOLDFAST_INSTALL AND NOT HOLDFAST_BUILD_EXAMPLES)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  set(map ${PROJECT_SOURCE_DIR}/cmake/${ARG_EXPORTS})
  set_target_properties(
    ${target}
    PROPERTIES LINKER_LANGUAGE CXX
               OUTPUT_NAME ${ARG_NAME}
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
               LINK_DEPENDS ${map})
  target_link_options(${target} PRIVATE -Wl,-z,defs -Wl,--as-needed -Wl,--version-script=${map})
  target_compile_features(${target} INTERFACE cxx_std_17)
  target_include_directories(
    ${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE ${ARG_ROOMS})
endfunction()

function(holdfast_libraries)
  holdfast_shared_library(
    holdfast_library
    NAME holdfast
    EXPORTS holdfast.map
    ROOTS base:error base:severity xds:instruments runtime:bootstrap_source
          runtime:stderr_log client:create_client client:envoy_types client:lb_policy_registry
          client:xds_client channel_call:create_channel observe:admin observe:prometheus
    ROOMS holdfast_channel_call holdfast_observe)
  target_link_libraries(holdfast_library INTERFACE absl::status absl::statusor absl::strings)

  # libholdfast comes first, so that what it exports is taken from there and not from an archive.
  holdfast_shared_library(
    holdfast_control_library
    NAME holdfast-control
    EXPORTS holdfast-control.map
    ROOTS control:client_reports control:control_plane control_source:transaction
    ROOMS holdfast_library holdfast_control)
  target_link_libraries(holdfast_control_library INTERFACE holdfast_library gRPC::grpc++)
  # Its partner lies beside it, here and wherever both are installed.
  set_target_properties(holdfast_control_library PROPERTIES INSTALL_RPATH $ORIGIN
                                                            BUILD_WITH_INSTALL_RPATH ON)

  # The same library: its headers need gRPC's.
  add_library(holdfast_grpc_api INTERFACE)
  target_link_libraries(holdfast_grpc_api INTERFACE holdfast_library gRPC::grpc++)

  add_library(Holdfast::xds ALIAS holdfast_library)
  add_library(Holdfast::grpc ALIAS holdfast_grpc_api)
  add_library(Holdfast::control ALIAS holdfast_control_library)
endfunction()
