// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "data/words.hpp"

/// For functions that the preload calls with a program's arguments, and that hand these on to another function.
namespace laneway {

using AnyFunction = void();

/// One of several arguments, of a function that the mpi.h of this build may lack.
template <std::size_t>
using AWord = Word;

/// The function `Calls::call`, which hands its calls on to `next` from now on.
template <class Calls>
AnyFunction* handing_on_to(AnyFunction* next)
{
    Calls::next = reinterpret_cast<decltype(Calls::next)>(next);
    return reinterpret_cast<AnyFunction*>(&Calls::call);
}

}  // namespace laneway
