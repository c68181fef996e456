// A client of the joint simulation, with the wire between it and the control plane.
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"

namespace holdfast {

class JointClient {
 public:
  virtual ~JointClient() = default;

  // The user wants something else.
  virtual void ChangeInterest(absl::Time now) = 0;
  // One message, or its receipt, moves on. False: there is none.
  virtual bool Pass(absl::Time now) = 0;
  virtual void LoseStream(absl::Time now) = 0;
  // When this client or its session next wakes up by itself, and that.
  virtual std::optional<absl::Time> NextWake() const = 0;
  virtual void Wake(absl::Time now) = 0;
  // At rest: does it know what is true? Empty, or what it does not know.
  virtual std::string Ignorance() const = 0;
};

}  // namespace holdfast
