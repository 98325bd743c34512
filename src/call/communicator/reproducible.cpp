// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/reproducible.hpp"

#include <string>

#include "call/agree/end_job.hpp"
#include "library/error.hpp"
#include "machine/node.hpp"
#include "text/text.hpp"

namespace laneway {

bool is_reproducible_asked_for()
{
    static const bool is = Settings::own()->reproducible();
    return is;
}

void say_what_is_overruled(const Settings& settings, int rank)
{
    static Remark remark;
    if (settings.overruled().empty() || world_rank().value_or(rank) != 0) return;
    remark.say([&] {
        return "LANEWAY_REPRODUCIBLE overrules what " + settings.overruled() +
               " says of reductions; other collectives are chosen as it says";
    });
}

void say_not_reproducible(const Settings& settings, MPI_Comm comm, int rank, std::string_view call,
                          std::string_view why)
{
    static Remark remark;
    if (!settings.reproducible() || rank != 0) return;
    const bool strict = settings.strict();
    if (settings.off() && !settings.advises() && settings.error().empty()) why = "LANEWAY=off";
    remark.say([&] {
        return "LANEWAY_REPRODUCIBLE does not hold for " + std::string(call) + ": " +
               std::string(why) +
               (strict ? "; the job ends (LANEWAY_STRICT)"
                       : "; it is left to the MPI library, and so may be others");
    });
    if (strict) end_job(comm);
}

void say_not_reproducible(MPI_Comm comm, std::string_view call, std::string_view why)
{
    if (!is_reproducible_asked_for()) return;
    int inter = 0, rank = 0, size = 0;
    check_raised(PMPI_Comm_test_inter(comm, &inter));
    check_raised(PMPI_Comm_rank(comm, &rank));
    check_raised(PMPI_Comm_size(comm, &size));
    if (inter || size > 1) say_not_reproducible(*Settings::own(), comm, rank, call, why);
}

}  // namespace laneway
