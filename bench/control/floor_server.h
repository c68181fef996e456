// What gRPC itself costs: a server that sends fixed bytes of the same size on the same occasions,
// and has no control plane.
//
// As many threads as cores, each with a completion queue and streams of its own, as the workers of
// a control plane have. A request that asks is answered, a commit is sent to whoever asked for what
// it changes; what answers a response is received and not looked at. All responses have one nonce.
#pragma once

namespace holdfast {

// Serves until the last line of stdin (line_protocol.h), which ends the process.
[[noreturn]] void RunFloorServer();

}  // namespace holdfast
