// SPDX-License-Identifier: BSD-3-Clause
#include "walks/circulant.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"

namespace laneway {

static void reduce_scatter_circulant(const ReduceScatter& call, const Decomposition& on,
                                     const Tunables& tunables)
{
    const Order order = order_from(0, on, tunables);
    circulant_reduce_scatter(call.input, call.result, call.part, call.op, order, order, on.world);
}

static const Register<ReduceScatter> entry({
    .run = reduce_scatter_circulant,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "butterfly",
    .flat = true,
    .memory = {.message = 2},
    .tunables = {order_tunable},
    .about = {.idea = "on a circulant graph whose skips halve p, rounded up: in every round the "
                      "partial results of the "
                      "farther half leave and those of the nearer half come",
              .rounds = "log p",
              .volume = "(p - 1) m a process",
              .memory = "p m",
              .source =
                  "Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, 2024"},
});

}  // namespace laneway
