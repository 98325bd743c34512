// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

/// The first processes of the nodes own the one lane that is used.
static void alltoall_hierarchical(const Alltoall& call, const Decomposition& on)
{
    exchange(call, on.with_first_lanes(1));
}

static const Register<Alltoall> entry({
    .run = alltoall_hierarchical,
    .memory = {.rows = 2},
    .about =
        {.idea =
             "everyone's rows to the first process of every node; these exchange what nodes have "
             "for nodes, and give everyone what is theirs",
         .rounds = "3; 1 where n < 2",
         .volume = "p m a process, first ones (n-1) p m + n (p-n) m; n (p-n) m a node",
         .memory = "2 n p m on first processes",
         .source =
             "Traeff and Hunold 2020, Section 3.6, not tried there; aggregation by leaders as "
             "in Traeff and Rougier 2014"},
});

}  // namespace laneway
