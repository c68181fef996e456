#include "bench/control/session_cost.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/control/bench_failure.h"
#include "bench/control/served_resources.h"
#include "bench/stopwatch.h"
#include "control/catalog/references.h"
#include "control/session/response_encoder.h"
#include "control/session/session.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

ViewPtr ViewOf(const View& before, int resources, int revision, size_t size) {
  Contents contents{.is_synced = true};
  const std::string type(kClusterTypeName);
  for (int number = 0; number < resources; ++number) {
    const std::string body = ServedBody(ServedKind::kClusters, number, revision, size);
    contents.resources.push_back(std::make_shared<const Resource>(
        type, ServedName(number), body, std::nullopt, ChildrenOf(type, body)));
  }
  return NextView(before, std::move(contents));
}

SessionEvent Request(Variant variant, const std::string& nonce, const std::string& version) {
  const std::string type_url = TypeUrlOf(ServedKind::kClusters);
  if (variant == Variant::kDelta) {
    DeltaDiscoveryRequest request;
    request.type_url = type_url;
    request.response_nonce = nonce;
    return DeltaRequestReceived{std::move(request)};
  }
  DiscoveryRequest request;
  request.type_url = type_url;
  request.version_info = version;
  request.response_nonce = nonce;
  return RequestReceived{std::move(request)};
}

// The response among the effects.
SendResponse TakeResponse(SessionEffects effects) {
  for (SessionEffect& effect : effects) {
    if (auto* const response = std::get_if<SendResponse>(&effect)) return std::move(*response);
  }
  FailBench("a session has nothing to say about a change");
}

}  // namespace

SessionCost MeasureSessions(Variant variant, int streams, int resources, size_t size, int pushes) {
  ViewPtr view = ViewOf(View(), resources, 0, size);
  ResponseEncoder encoder(variant, "bench");
  std::vector<Session> sessions;
  for (int i = 0; i < streams; ++i) sessions.emplace_back(variant, SessionOptions(), view, "peer");
  absl::Time now = absl::UnixEpoch() + absl::Hours(1);
  SessionCost cost{.encode_us = std::numeric_limits<double>::infinity(),
                   .session_us = std::numeric_limits<double>::infinity()};

  std::vector<SendResponse> responses;
  // Encodes what all sessions have to say now; the first pays for the body.
  const auto encode_all = [&] {
    size_t bytes = encoder.Encode(responses.front()).size();
    const double start = ThreadCpuSeconds();
    for (const SendResponse& response : responses) bytes += encoder.Encode(response).size();
    cost.encode_us = std::min(cost.encode_us, (ThreadCpuSeconds() - start) * 1e6 / streams);
    if (bytes < static_cast<size_t>(resources) * size) FailBench("a response is too small");
    ++cost.versions;
  };
  const auto acknowledge_all = [&] {
    for (size_t i = 0; i < sessions.size(); ++i) {
      sessions[i].Handle(now, WriteDone{});
      sessions[i].Handle(now, Request(variant, responses[i].nonce, responses[i].version));
    }
  };

  for (Session& session : sessions) {
    responses.push_back(TakeResponse(session.Handle(now, Request(variant, "", ""))));
  }
  encode_all();
  acknowledge_all();
  for (int push = 1; push <= pushes; ++push) {
    const ViewPtr next = ViewOf(*view, resources, push, size);
    const auto changes = std::make_shared<const Changes>(ChangesBetween(*view, *next));
    view = next;
    now += absl::Seconds(1);
    responses.clear();
    double start = ThreadCpuSeconds();
    for (Session& session : sessions) {
      responses.push_back(TakeResponse(session.Handle(now, ViewChanged{view, changes})));
    }
    double seconds = ThreadCpuSeconds() - start;
    encode_all();
    start = ThreadCpuSeconds();
    acknowledge_all();
    seconds += ThreadCpuSeconds() - start;
    cost.session_us = std::min(cost.session_us, seconds * 1e6 / streams);
  }
  cost.bodies_made = encoder.bodies_made();
  return cost;
}

}  // namespace holdfast
