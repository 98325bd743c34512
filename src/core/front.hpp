// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The collectives as the application calls them (see core/run.hpp for what a front promises).
#include "core/front/allgather.hpp"  // IWYU pragma: export
#include "core/front/alltoall.hpp"   // IWYU pragma: export
#include "core/front/barrier.hpp"    // IWYU pragma: export
#include "core/front/bcast.hpp"      // IWYU pragma: export
#include "core/front/reduction.hpp"  // IWYU pragma: export
#include "core/front/rooted.hpp"     // IWYU pragma: export
