// Every way to make a call: three APIs of gRPC, four kinds of methods.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <ostream>
#include <string>
#include <vector>

#include "acme/test/v1/echo.grpc.pb.h"

namespace holdfast {

enum class Api { kSync, kQueue, kCallback };
enum class Kind { kUnary, kClientStream, kServerStream, kBidi };

inline constexpr Api kApis[] = {Api::kSync, Api::kQueue, Api::kCallback};
inline constexpr Kind kKinds[] = {Kind::kUnary, Kind::kClientStream, Kind::kServerStream,
                                  Kind::kBidi};

struct Shape {
  Api api;
  Kind kind;
};
std::string NameOf(Shape shape);
inline void PrintTo(Shape shape, std::ostream* out) { *out << NameOf(shape); }
std::vector<Shape> AllShapes();

// In streams this many messages go each way that has a stream.
inline constexpr int kMessages = 3;

struct Outcome {
  grpc::Status status;
  std::vector<std::string> texts;  // of the replies
  acme::test::v1::EchoReply last_reply;
};

// Makes the call and waits for its end. Messages of a stream have their number behind the text.
Outcome MakeCall(Shape shape, acme::test::v1::Echo::Stub& stub, grpc::ClientContext& context,
                 const acme::test::v1::EchoRequest& request);

// What the texts of such a call are when all is well.
std::vector<std::string> ExpectedTexts(Kind kind, const std::string& text);

}  // namespace holdfast
