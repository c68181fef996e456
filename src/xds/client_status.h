// A client as an outsider sees it: its state and who it says it is.
#pragma once

#include "holdfast/xds/snapshot.h"
#include "xds/node.h"

namespace holdfast {

struct ClientStatus {
  ClientSnapshot snapshot;
  Node node;  // as servers are told
};

}  // namespace holdfast
