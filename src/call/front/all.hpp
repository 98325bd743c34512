// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The collectives as the application calls them (call/course.hpp: the promises of a front).
#include "call/front/allgather.hpp"       // IWYU pragma: export
#include "call/front/allgatherv.hpp"      // IWYU pragma: export
#include "call/front/alltoall.hpp"        // IWYU pragma: export
#include "call/front/alltoallv.hpp"       // IWYU pragma: export
#include "call/front/barrier.hpp"         // IWYU pragma: export
#include "call/front/bcast.hpp"           // IWYU pragma: export
#include "call/front/neighbors.hpp"       // IWYU pragma: export
#include "call/front/reduce_scatter.hpp"  // IWYU pragma: export
#include "call/front/reduction.hpp"       // IWYU pragma: export
#include "call/front/rooted.hpp"          // IWYU pragma: export
#include "call/front/rooted_vectors.hpp"  // IWYU pragma: export
