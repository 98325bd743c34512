// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "call/front/data.hpp"
#include "call/sound/alone.hpp"
#include "library/quirks.hpp"

namespace laneway {

/// Whether the library rejects an address that is null for the data of a collective (`data` has
/// elements). The question is asked by a message to nobody, where the library judges both alike; other libraries look
/// at messages alone.
inline bool rejects_null(const Data& data, MPI_Comm alone)
{
    constexpr int tag = 0;
    return quirks().judges_null_in_messages &&
           PMPI_Send(data.address, 1, data.type, MPI_PROC_NULL, tag, alone) != MPI_SUCCESS;
}

/// Whether the library accepts the call's types, operator and forms.
template <class Front>
bool accepts_without_data(const Front& front, Member me)
{
    const Question question = front.question(me);
    if (Accepted<Front>::knows(question)) return true;
    const Alone alone(front.comm);
    if (alone.handle() == MPI_COMM_NULL) return true;
    if (front.without_data(alone.handle(), me) != MPI_SUCCESS) return false;
    Accepted<Front>::add(question);
    return true;
}

/// Whether the library rejects the call for faults that `acceptable` does not see. Such are a handle that is
/// none, a type that is not committed, an operator that does not fit the type. Local. Only what the library
/// does reject may be found here: the calling process then makes the native call alone. So the library
/// itself is asked; it would raise its answer on the wrong communicator if Laneway just used the handles.
template <class Front>
bool rejected_by_library(const Front& front, Member me)
{
    if (!accepts_without_data(front, me)) return true;
    const auto data = front.significant(me);
    const auto is_null = [](const Data& each) { return !each.address && each.count > 0; };
    if (std::ranges::none_of(data, is_null) && !front.is_aliased(me)) return false;

    const Alone alone(front.comm);
    if (alone.handle() == MPI_COMM_NULL) return false;
    for (const Data& each : data)
        if (is_null(each) && rejects_null(each, alone.handle())) return true;
    return front.is_aliased(me) && alone.checks_arguments();
}

/// Whether there is no argument that the library would reject.
template <class Front>
bool is_sound(const Front& front, Member me)
{
    return front.acceptable(me) && !rejected_by_library(front, me);
}

}  // namespace laneway
