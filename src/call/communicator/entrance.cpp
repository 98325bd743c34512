// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/entrance.hpp"

#include <unwind.h>

#include <cstdint>

namespace laneway {
namespace {

struct StackSearch {
    std::uintptr_t frame;
    std::uintptr_t returns_to;
    bool found = false;
};

/// Called for one function after another, from the innermost outwards. The first that lies above the
/// frame searched for must be the one that this returns to, or the call is there no more.
_Unwind_Reason_Code look(_Unwind_Context* function, void* data)
{
    auto& search = *static_cast<StackSearch*>(data);
    if (_Unwind_GetCFA(function) <= search.frame) return _URC_NO_REASON;
    search.found = _Unwind_GetIP(function) == search.returns_to;
    return _URC_END_OF_STACK;
}

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

bool Marks::runs(const Mark& mark, const void* from)
{
    if (number(mark.frame) <= number(from)) return false;  // callers lie above
    StackSearch search{number(mark.frame), number(mark.returns_to)};
    _Unwind_Backtrace(look, &search);
    return search.found;
}

}  // namespace laneway
