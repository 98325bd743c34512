// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/segmented_prefix.hpp"

namespace laneway {

static const Register<Exscan> entry(segmented_prefix<Exscan>());

}  // namespace laneway
