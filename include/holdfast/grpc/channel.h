// A gRPC channel whose calls go where an xDS control plane says, for unchanged generated stubs.
//
//   auto channel = holdfast::CreateChannel("xds:///pay", grpc::InsecureChannelCredentials());
//   auto stub = acme::Pay::NewStub(channel);
//
// Calls go on while anything usable is known: a control plane that is down, a listener that was
// deleted, an update that is invalid change nothing but the text of errors. A call that fails says
// every reason that matters, with a code that cannot be mistaken for the application's (gRFCs A88,
// A54).
#pragma once

#include <grpcpp/impl/channel_interface.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <string>
#include <vector>

#include "holdfast/export.h"
#include "holdfast/xds/log.h"
#include "holdfast/xds/metrics.h"

namespace holdfast {

struct ChannelOptions {
  // For the connections to endpoints. The authority of calls, which chooses the virtual host as
  // well, is the service's name unless GRPC_ARG_DEFAULT_AUTHORITY says another.
  grpc::ChannelArguments arguments;

  // They see every call of this channel; one that is parked until something is known is seen when
  // it starts or fails, on a thread of Holdfast's: they must not block. Waiting for ready is over
  // by then, and they see such a call as any other. What they make of a status is theirs: no rule
  // of gRFC A54 applies to it. A factory may be asked twice for one call that waits for ready; one
  // of the two interceptors hears nothing of it.
  //
  // Routes and policies see the metadata that the call was made with, and none that an interceptor
  // adds: a call has its connection before its first interceptor runs. A factory for the whole
  // process (RegisterGlobalClientInterceptorFactory) also sees what Holdfast calls itself: its
  // streams to the control plane, and "/holdfast.Connection/Why" on connections that fail.
  std::vector<std::shared_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> interceptors;

  // Of the xDS client behind the channel, with the target as grpc.target (gRFCs A78, A88). Channels
  // of one target share a client: the first of them decides.
  std::shared_ptr<MetricSink> metrics;

  // Must live until the process ends: the client is shared, and keeps the log of the first channel.
  // Null: StderrLog().
  LogSink* log = nullptr;
};

// As with any channel of gRPC's, a process that forks without exec must not use it in the child:
// the threads that connect, and that end calls at their deadlines, are the parent's.
//
// Never null, never blocks, never throws. `target` is "xds:///NAME" or "xds://AUTHORITY/NAME"; the
// xDS servers are those of the bootstrap (GRPC_XDS_BOOTSTRAP, GRPC_XDS_BOOTSTRAP_CONFIG). If there
// is none, or the target or the credentials cannot be used, every call of the channel fails at once
// with UNAVAILABLE and a sentence that says what to do.
HOLDFAST_EXPORT std::shared_ptr<grpc::ChannelInterface> CreateChannel(
    const std::string& target, std::shared_ptr<grpc::ChannelCredentials> credentials,
    const ChannelOptions& options = {});

}  // namespace holdfast
