// Recognises grpc::XdsCredentials, so that they can be refused.
#pragma once

#include <grpcpp/security/credentials.h>

namespace holdfast {

// A Holdfast channel would use no more of them than their fallback, and that may be no encryption
// at all, where the control plane asks for TLS. gRPC has no way to ask; this looks into the object,
// where its layout is known (1.51), and says false for all others.
bool AreXdsCredentials(const grpc::ChannelCredentials& credentials);

}  // namespace holdfast
