# holdfast_module(<name> [PURE] [PROTOBUF_IN_CC] [DEPENDS <rooms...>] [LINK <targets...>]
#                 [TEST_LINK <targets...>] [MAIN <file>])
#
# One folder, one library, one list of arrows.
# - PURE: no threads, clocks, sockets, files, environment, gRPC or protobuf. A PURE room may depend
#   only on PURE rooms; tests/layers/check_layers.py reads the includes and calls of its sources.
# - PROTOBUF_IN_CC: a PURE room whose .cc files (never its headers) may include protobuf.
# - Unit tests sit beside the code: every <file>_test.cc joins <name>_test, which TEST_LINK gives
#   what only tests need.
# - MAIN: a file of the folder that is not in the library, for a program beside it.
# Designated initialisers name what differs from the defaults; the rest is meant to be left out.
set(HOLDFAST_WARNINGS -Wall -Wextra -Werror -Wshadow -Wconversion -Wswitch-enum
                      -Wno-missing-field-initializers)

function(holdfast_module name)
  cmake_parse_arguments(ARG "PURE;PROTOBUF_IN_CC" "MAIN" "DEPENDS;LINK;TEST_LINK" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "holdfast_module(${name}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(ARG_MAIN)
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_MAIN})
  endif()

  if(sources)
    set(visibility PUBLIC)
    add_library(holdfast_${name} STATIC ${sources})
    target_compile_options(holdfast_${name} PRIVATE ${HOLDFAST_WARNINGS})
  else()
    set(visibility INTERFACE)
    add_library(holdfast_${name} INTERFACE)
  endif()
  target_include_directories(holdfast_${name} ${visibility} ${PROJECT_SOURCE_DIR}/src
                                              ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(holdfast_${name} ${visibility} ${ARG_LINK})
  if(ARG_PROTOBUF_IN_CC)
    target_link_libraries(holdfast_${name} PRIVATE holdfast_proto)
  endif()

  get_property(rooms GLOBAL PROPERTY HOLDFAST_ROOMS)
  get_property(pure GLOBAL PROPERTY HOLDFAST_PURE)
  foreach(room IN LISTS ARG_DEPENDS)
    if(NOT room IN_LIST rooms)
      message(FATAL_ERROR "${name} depends on ${room}, which is no room declared before it")
    endif()
    if(ARG_PURE AND NOT room IN_LIST pure)
      message(FATAL_ERROR "${name} is PURE and cannot depend on ${room}")
    endif()
    target_link_libraries(holdfast_${name} ${visibility} holdfast_${room})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY HOLDFAST_ROOMS ${name})
  if(ARG_PURE)
    set_property(GLOBAL APPEND PROPERTY HOLDFAST_PURE ${name})
  endif()

  # A line for the layer check: name|folder|flags|dependencies.
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(JOIN "," depends ${ARG_DEPENDS})
  set(flags "")
  if(ARG_PURE)
    list(APPEND flags PURE)
  endif()
  if(ARG_PROTOBUF_IN_CC)
    list(APPEND flags PROTOBUF_IN_CC)
  endif()
  string(JOIN "," flags ${flags})
  set_property(GLOBAL APPEND PROPERTY HOLDFAST_ROOM_LINES "${name}|${folder}|${flags}|${depends}")

  if(tests AND HOLDFAST_BUILD_TESTS)
    set(kind "")
    if(ARG_PURE)
      set(kind PURE)
    endif()
    holdfast_test(${name}_test ${kind} SOURCES ${tests} LINK holdfast_${name} ${ARG_TEST_LINK})
  endif()
endfunction()

option(HOLDFAST_ONLY_THREADS "build only the tests from which the thread sanitizer can learn" OFF)

option(HOLDFAST_ONLY_PLAIN "leave out test programs that a build with sanitizers has too" OFF)
set(HOLDFAST_TEST_FLAGS "" CACHE STRING "compiler flags of tests alone, after all others")
separate_arguments(HOLDFAST_TEST_FLAGS)

# holdfast_test(<name> [PURE|REAL_GRPC] [PLAIN] SOURCES <files...> LINK <targets...>): a GoogleTest
# program, its tests known to ctest one by one. Two kinds are not built for the thread sanitizer.
# PURE: what they test has no threads. REAL_GRPC: they make real calls, and it cannot see how
# Debian's gRPC, compiled without it, orders its threads. PLAIN: some of it says nothing, or too
# little, where a sanitizer makes everything slow; it is built without one too.
function(holdfast_test name)
  cmake_parse_arguments(ARG "PURE;REAL_GRPC;PLAIN" "" "SOURCES;LINK" ${ARGN})
  if(HOLDFAST_ONLY_THREADS AND (ARG_PURE OR ARG_REAL_GRPC))
    return()
  endif()
  set(labels "")
  if(ARG_REAL_GRPC)
    set(labels LABELS grpc)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${HOLDFAST_WARNINGS} ${HOLDFAST_TEST_FLAGS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock_main)
  if(ARG_REAL_GRPC)
    target_link_libraries(${name} PRIVATE holdfast_lsan_suppressions)
    holdfast_reads_headers_once(${name} grpc)
  else()
    holdfast_reads_headers_once(${name} plain)
  endif()
  if(HOLDFAST_ONLY_PLAIN AND NOT ARG_PLAIN)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 ${labels})
endfunction()

# holdfast_reads_headers_once(<test> plain|grpc): half of the time to compile a test goes into headers
# that nearly every test includes. They are compiled once a build, tests/support/headers_of_tests.h
# and, for tests that make real calls, headers_of_grpc_tests.h. A test still includes what it uses.
function(holdfast_reads_headers_once name kind)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return() # ccache and clang's precompiled headers do not get on.
  endif()
  set(owner holdfast_${kind}_headers)
  if(NOT TARGET ${owner})
    # The flags have to be those of the tests, so it is a program, too; some tests have -pthread from
    # what they link, so all have it.
    add_executable(${owner} EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/headers_of_tests.cc)
    target_compile_options(${owner} PRIVATE ${HOLDFAST_WARNINGS} ${HOLDFAST_TEST_FLAGS} -pthread)
    target_link_libraries(${owner} PRIVATE GTest::gmock absl::status absl::statusor absl::str_format
                                           absl::time)
    set(headers ${PROJECT_SOURCE_DIR}/tests/support/headers_of_tests.h)
    if(kind STREQUAL grpc)
      target_link_libraries(${owner} PRIVATE gRPC::grpc++)
      list(APPEND headers ${PROJECT_SOURCE_DIR}/tests/support/headers_of_grpc_tests.h)
    endif()
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${owner})
  # -fpch-preprocess: so that ccache can know what a test was compiled from.
  target_compile_options(${name} PRIVATE -pthread -fpch-preprocess)
endfunction()

# Writes rooms.txt for tests/layers/check_layers.py.
function(holdfast_write_rooms)
  get_property(lines GLOBAL PROPERTY HOLDFAST_ROOM_LINES)
  string(JOIN "\n" text ${lines})
  file(WRITE ${PROJECT_BINARY_DIR}/rooms.txt "${text}\n")
endfunction()
