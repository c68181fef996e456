// What the clients of the bench talk to, in a process of its own: an xDS server and two backends.
//
//   serve ROUTES CLUSTERS round_robin|wait_once   "ok"
//   move BACKEND             "move NANOSECONDS"     monotonic, when cluster 0 was sent there
//   notice BACKEND           "notice MICROSECONDS"  the same, and how long until a client connects
//   ports                    "ports XDS BACKEND_0 BACKEND_1"
//
// "xds:///bench" has ROUTES routes by prefix. The last one is that of the calls and leads to
// cluster 0; the others match nothing that is called and lead to all clusters in turn. Every
// cluster has one endpoint, backend 0, so that a client needs one connection for all of them.
#pragma once

namespace holdfast {

inline constexpr char kBenchListener[] = "bench";
// A policy of the client's own, that lets every call wait once.
inline constexpr char kWaitOncePolicy[] = "bench.WaitOnce";

// Until the input ends.
int RunWorld();

}  // namespace holdfast
