// What is served and what clients get errors for, put together of a view, the notes of the source,
// and what the workers say of their streams. Functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "control/catalog/view.h"
#include "control/session_worker.h"
#include "control/source/resource_notes.h"
#include "holdfast/control/resource_report.h"

namespace holdfast {

// Which resources a query means, by type and name, and how many more there are than it wants.
struct Selection {
  std::vector<ResourcePtr> resources;
  size_t more = 0;
};
Selection Select(const View& view, const ResourceQuery& query);

// REQUIRES: the workers were asked how all that is selected fares.
ResourcesReport ResourcesOf(const Selection& selection, const ResourceQuery& query,
                            const ResourceNotes& notes, const SessionWorker::Answer& answer);

// REQUIRES: the workers were asked for errors.
ErrorsReport ErrorsOf(const View& view, const ResourceNotes& notes,
                      const SessionWorker::Answer& answer);

}  // namespace holdfast
