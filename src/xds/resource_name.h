// The name of a resource: an old-style name, which is any text, or an xdstp: URI (xRFC TP1).
//
//   xdstp://authority/envoy.config.cluster.v3.Cluster/team/pay?env=prod&zone=b#entry=x
//   \____/  \_______/ \_____________________________/ \______/ \____________/ \______/
//   scheme  authority resource type                   id       parameters     directives
//
// Two names are equal if their parts are: the order of parameters does not matter, nor which
// characters were percent-encoded. The form that goes into caches and onto the wire is Text():
// parameters sorted, directives dropped (gRFC A47 does not use them), percent-encoding only where
// RFC 3986 needs it. An encoded slash stays encoded: it is part of a segment, not a border.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace holdfast {

class ResourceName {
 public:
  // The metric label of old-style names. No authority has it: "#" is percent-encoded in labels.
  static constexpr absl::string_view kOldStyleLabel = "#old";

  // Parses the name of a resource of type `type_name` ("envoy.config.cluster.v3.Cluster").
  // INVALID_ARGUMENT if it begins "xdstp:" and is malformed or of another type.
  static absl::StatusOr<ResourceName> Parse(absl::string_view name, absl::string_view type_name);

  bool is_old_style() const { return !authority_.has_value(); }
  // Of an xdstp name, maybe empty; nullopt for an old-style one. The first key of a cache (R1.100).
  const std::optional<std::string>& authority() const { return authority_; }
  // The authority, percent-encoded, or "#old".
  std::string AuthorityLabel() const;
  // The id of an xdstp name ("team/pay"), or all of an old-style one.
  const std::string& id() const { return id_; }
  const std::map<std::string, std::string>& parameters() const { return parameters_; }

  // A glob collection: an xdstp name whose id is "*" or ends in "/*".
  bool is_glob() const;
  // Whether this glob contains `member`: same authority, directory and parameters, one more
  // segment (R1.99).
  bool Matches(const ResourceName& member) const;

  // The canonical form; equal for equal names.
  std::string Text() const;

  friend bool operator==(const ResourceName&, const ResourceName&) = default;
  friend auto operator<=>(const ResourceName&, const ResourceName&) = default;

 private:
  std::optional<std::string> authority_;
  std::string type_;
  std::string id_;                                 // canonical percent-encoding
  std::map<std::string, std::string> parameters_;  // decoded
};

// The canonical form of an xdstp name of this type, under which caches keep it (R1.91). All others,
// malformed ones too, are as they are: only equal to themselves.
std::string CanonicalName(absl::string_view name, absl::string_view type_name);

// RFC 3986 path characters stay, all others become %XX. With `keep_slash`, "/" stays too.
std::string PercentEncodePath(absl::string_view text, bool keep_slash);

// The way back, for any part of a URI. Any bytes may come out. nullopt if a "%" is not followed by
// two hexadecimal digits.
std::optional<std::string> PercentDecode(absl::string_view text);

}  // namespace holdfast
