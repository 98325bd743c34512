// SPDX-License-Identifier: BSD-3-Clause
#include "defects.hpp"

namespace laneway::property {
const std::vector<Defect>& defects()
{
    static const std::vector<Defect> known{
#ifdef OPEN_MPI
        {"Open MPI's ring allreduce forgets the lower bound of its temporary memory",
         [](const Case& its) { return its.op && its.form->shifted && its.count >= 1000; }},
#endif
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000
        {"MPICH 5.0's allreduce crashes where the result is at MPI_BOTTOM",
         [](const Case& its) { return its.op && its.form->absolute; }},
#endif
    };
    return known;
}

}  // namespace laneway::property
