// One ADS call: an id of its own, so that late news of a dead stream is known as such.
#pragma once

#include "base/strong_id.h"

namespace holdfast {

using StreamId = StrongId<struct StreamIdTag>;

}  // namespace holdfast
