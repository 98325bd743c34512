// SPDX-License-Identifier: BSD-3-Clause
#include "core/node.hpp"
#include "core/settings.hpp"

/// For the preload, when it has loaded this: what is better done before the first collective, in which a
/// process may have no free file descriptor and the thread a small stack. Knows nothing of MPI yet.
extern "C" __attribute__((visibility("default"))) void laneway_prepare()
{
    laneway::Settings::prepare();
    laneway::prepare_node();
}
