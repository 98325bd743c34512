// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/entrance.hpp"

#include "call/communicator/going.h"

namespace laneway {

bool Marks::runs(const Mark& mark, const void* from)
{
    return laneway_runs(mark.frame, mark.returns_to, from) != 0;
}

}  // namespace laneway
