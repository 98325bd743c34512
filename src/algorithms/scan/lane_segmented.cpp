// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/segmented_prefix.hpp"

namespace laneway {

static const Register<Scan> entry(segmented_prefix<Scan>());

}  // namespace laneway
