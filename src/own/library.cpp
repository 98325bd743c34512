// SPDX-License-Identifier: BSD-3-Clause
#include "own/library.hpp"

#include "own/own.hpp"

namespace laneway::own {

const Library* Library::current() { return current_ && !saves_bytes() ? current_ : nullptr; }

}  // namespace laneway::own
