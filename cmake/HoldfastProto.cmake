# holdfast_proto_library(<target> <files...>): generated C++ for our own .proto files.
#
# Also writes <target>.descriptor_set, which tests compare with a foreign schema.
# Linked to libprotobuf and never to libprotobuf-lite: both in one process would register twice.
function(holdfast_proto_library target)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out})
  set(generated)
  foreach(proto IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" "" stem ${proto})
    list(APPEND generated ${out}/${stem}.pb.cc ${out}/${stem}.pb.h)
  endforeach()
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE inputs)
  set(descriptors ${CMAKE_CURRENT_BINARY_DIR}/${target}.descriptor_set)
  add_custom_command(
    OUTPUT ${generated} ${descriptors}
    COMMAND protobuf::protoc -I ${CMAKE_CURRENT_SOURCE_DIR} --cpp_out=${out}
            --descriptor_set_out=${descriptors} --include_imports ${inputs}
    DEPENDS ${inputs}
    COMMENT "Generating C++ from proto/")
  add_library(${target} STATIC ${generated})
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf)
  # Other targets depend on the file through this target.
  set_property(TARGET ${target} PROPERTY HOLDFAST_DESCRIPTOR_SET ${descriptors})
endfunction()

# holdfast_grpc_library(<target> <proto library> <files...>): generated gRPC services and stubs of
# files that the proto library already has.
function(holdfast_grpc_library target messages)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  set(generated)
  foreach(proto IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" "" stem ${proto})
    list(APPEND generated ${out}/${stem}.grpc.pb.cc ${out}/${stem}.grpc.pb.h)
  endforeach()
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE inputs)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND protobuf::protoc -I ${CMAKE_CURRENT_SOURCE_DIR} --grpc_out=${out}
            --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin> ${inputs}
    DEPENDS ${inputs}
    COMMENT "Generating gRPC services from proto/")
  add_library(${target} STATIC ${generated})
  target_link_libraries(${target} PUBLIC ${messages} gRPC::grpc++)
endfunction()
