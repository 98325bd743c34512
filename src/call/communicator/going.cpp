// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/going.hpp"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace laneway {
namespace {

/// A call that has not returned: where its frame begins, and where it returns to.
struct StackCall {
    std::uintptr_t frame = 0;
    std::uintptr_t returns_to = 0;

    bool operator==(const StackCall&) const = default;
};

/// The calls that the library is in while it deletes attributes one after the other: the innermost few.
using Calls = std::array<StackCall, 4>;

/// The latest communicator that goes in a thread.
struct Noted {
    MPI_Comm comm = MPI_COMM_NULL;
    Calls calls;
};
thread_local Noted noted;

struct StackWalk {
    std::uintptr_t from;
    std::size_t passed = 0;
    bool found = false;
};

StackCall call_of(_Unwind_Context* function)
{
    return {_Unwind_GetCFA(function), _Unwind_GetIP(function)};
}

/// Called for one function after another, from the innermost outwards.
_Unwind_Reason_Code note_call(_Unwind_Context* function, void* data)
{
    auto& walk = *static_cast<StackWalk*>(data);
    if (_Unwind_GetCFA(function) <= walk.from) return _URC_NO_REASON;
    noted.calls[walk.passed++] = call_of(function);
    return walk.passed < noted.calls.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

_Unwind_Reason_Code find_call(_Unwind_Context* function, void* data)
{
    auto& walk = *static_cast<StackWalk*>(data);
    walk.found = std::ranges::find(noted.calls, call_of(function)) != noted.calls.end();
    return walk.found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

void Going::note(MPI_Comm comm, const void* frame)
{
    noted = {comm, {}};
    StackWalk walk{reinterpret_cast<std::uintptr_t>(frame)};
    _Unwind_Backtrace(note_call, &walk);
}

bool Going::is(MPI_Comm comm)
{
    if (noted.comm != comm || comm == MPI_COMM_NULL) return false;
    StackWalk walk{};
    _Unwind_Backtrace(find_call, &walk);
    if (!walk.found) noted = {};
    return walk.found;
}

}  // namespace laneway
