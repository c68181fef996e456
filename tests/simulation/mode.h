// In which of its modes the protocol is simulated.
#pragma once

namespace holdfast {

struct Mode {
  bool data_error_handling = true;  // A88's switch
  bool fail_on_data_errors = false;
  bool resource_timer_is_transient_error = false;
  bool ignore_resource_deletion = false;
};

}  // namespace holdfast
