// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace laneway::flight {

/// Where this process runs, and as what.
struct Place {
    std::string node;   ///< name of the host
    std::string job;    ///< the folder of its watch (LANEWAY_WATCH); empty: none
    std::string world;  ///< the launcher's name for the job; empty: it tells none
};
Place this_place();

/// Starts the node's process that watches the job, in the Python that LANEWAY_WATCHER names, if this process is the
/// node's first that comes.
void start_watcher(const Place& place);

}  // namespace laneway::flight
