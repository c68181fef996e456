// What nearly every test that makes real calls includes, beside headers_of_tests.h.
#pragma once

#include <grpcpp/grpcpp.h>
