// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/segmented_prefix.hpp"

namespace laneway {

static const Register<Scan> entry(segmented_prefix<Scan>());

}  // namespace laneway
