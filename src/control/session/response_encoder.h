// Turns what a session says into bytes: a small head of its own, and a body that is made once for
// all streams that are sent the same resources.
//
// Not thread-safe: one for each worker.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "control/catalog/content_hash.h"
#include "control/session/session_types.h"

namespace holdfast {

struct EncodedResponse {
  std::string head;  // type, version, nonce, removed names, errors
  // Whole fields, to be sent after the head; shared, never changed. Empty: no resources.
  std::shared_ptr<const std::string> body;

  size_t size() const { return head.size() + (body == nullptr ? 0 : body->size()); }
};

class ResponseEncoder {
 public:
  // `control_plane` is the identifier that responses carry.
  ResponseEncoder(Variant variant, std::string control_plane);

  EncodedResponse Encode(const SendResponse& response);

  // How many bodies were put together so far; the rest were shared.
  size_t bodies_made() const { return bodies_made_; }

 private:
  void AppendResource(const Resource& resource, const SendResponse& response,
                      std::string& body) const;
  std::shared_ptr<const std::string> BodyOf(const SendResponse& response);
  void Keep(const ContentHash& key, std::shared_ptr<const std::string> body);

  const Variant variant_;
  std::string control_plane_;  // the field, encoded
  // Those that somebody still holds, by what is in them.
  std::map<ContentHash, std::weak_ptr<const std::string>> bodies_;
  // The last few, kept so that the next stream finds them.
  std::deque<std::shared_ptr<const std::string>> recent_;
  size_t recent_bytes_ = 0;
  size_t sweep_at_ = 32;  // as many bodies_, and the dead are taken out
  size_t bodies_made_ = 0;
};

}  // namespace holdfast
