// A client of the bench, in a process of its own: one channel, and calls on it.
//
//   calls KIND COUNT            "ok"          one after another; all of them must be OK. KIND is
//   sync
//                                             or callback; with -ready behind it, they wait for
//                                             ready
//   until PORT                  "until NANOSECONDS"  calls until one is answered from there; when
//   watch                       "ok"          from now on a thread waits for changes of its state
//   waited                      "waited COUNT"  how often a call was told to wait (kWaitOncePolicy)
//   cpu                         "cpu MICROSECONDS"   of the process, until now
//   memory                      "memory KB"   resident, after what is unused went back
//
// The channel is plain (grpc::Channel to a backend), ours, or gRPC's own "xds:///".
#pragma once

#include <string>
#include <vector>

namespace holdfast {

// {"plain" | "ours" | "debian", port of the control plane, port of a backend}. Until the input
// ends.
int RunCaller(const std::vector<std::string>& arguments);

}  // namespace holdfast
