// What the watchers of an entry are told, and that nobody is told the same thing twice.
//
// What was told is kept for each watcher: while a server is failing, those who hear that a resource
// timed out and those who come later hear different things last (DEC-36).
#pragma once

#include "client/protocol/cache_entry.h"
#include "client/protocol/turn.h"

namespace holdfast {

// OnResourceChanged(value). REQUIRES: there is one.
void TellResource(Turn& turn, CacheEntry& entry);

// OnAmbientError(error) where a resource is in use, else OnResourceChanged(error); nothing if that
// is what they were told last.
void TellError(Turn& turn, CacheEntry& entry, const SharedError& error);

// OnAmbientError(OK), if an ambient error is outstanding.
void TellAllClear(Turn& turn, CacheEntry& entry);

// To one who comes now: the value, the entry's error, the server's error (null if it is well), in
// that order (R3.05–R3.07, DEC-36).
void TellNewcomer(Turn& turn, const CacheEntry& entry, CacheEntry::Watcher& newcomer,
                  const SharedError& server_error);

// The server is well again: what was said of the connection is over, and what is known of the
// entry itself counts (R3-T26). Says nothing to those who already know (R3.34).
void TellServerIsBack(Turn& turn, CacheEntry& entry);

}  // namespace holdfast
