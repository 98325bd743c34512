// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

/// Leaders own the lanes that are used.
static void alltoall_node_aware(const Alltoall& call, const Decomposition& on,
                                const Tunables& tunables)
{
    exchange(call, on.with_leaders(tunables["leaders"]));
}

static const Register<Alltoall> entry({
    .run = alltoall_node_aware,
    .memory = {.rows = 2},
    .tunables = {leaders_tunable},
    .about = {.idea = "everyone's rows to l leaders on every node, a share to each; leaders "
                      "exchange what "
                      "nodes have for nodes, and give everyone what is theirs",
              .rounds = "3; 1 where n < 2; 2 where n <= l",
              .volume =
                  "at most ((n + l - 1) p + n (p-n)) m/l + N (ceil(n/l) - n/l) m a process; n "
                  "(p-n) m a node",
              .memory = "2 (n/l) p m on leaders",
              .source = "several leaders a node as in Kinkead et al. 2025; the exchange of Traeff "
                        "and Hunold 2020, Section 3.6"},
});

}  // namespace laneway
