// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/library.hpp"

namespace laneway {

std::string library_name() { return {}; }

}  // namespace laneway
