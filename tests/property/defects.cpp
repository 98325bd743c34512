// SPDX-License-Identifier: BSD-3-Clause
#include "defects.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "call_form.hpp"
#include "library/identity.hpp"

namespace laneway::property {
namespace {

const std::string& library()
{
    static const std::string name = library_name();
    return name;
}

/// MPICH, or a library that has its code.
bool is_of_mpich() { return library().starts_with("MPICH") || library().starts_with("Intel MPI"); }

bool is(const Case& its, std::string_view collective) { return its.collective->name == collective; }

/// No algorithm keeps the order of the operator there: the library itself serves.
bool order_is_the_library_s(const Case& its)
{
    int commutative = 0;
    check(PMPI_Op_commutative(its.op->op, &commutative));
    return commutative == 0 && (!its.shape->consecutive() || its.algorithm == "lane_root_reduce");
}

const std::vector<Defect> of_open_mpi{
    {"Open MPI's ring allreduce forgets the lower bound of its temporary memory",
     [](const Case& its) {
         return is(its, "allreduce") && its.form->shifted && its.count >= 1000;
     }},
    {"Open MPI's reduce leaves the result out where it is in place and at MPI_BOTTOM",
     [](const Case& its) {
         return (is(its, "allreduce") || is(its, "reduce")) && its.form->absolute &&
                (its.algorithm == "hierarchical" || order_is_the_library_s(its));
     }},
    {"Open MPI's nonblocking and persistent reduce-scatter refuse a type without data",
     [](const Case& its) {
         return is(its, "reduce_scatter_block") && std::string_view(its.form->name) == "empty" &&
                calling().form != CallForm::blocking;
     }},
    {"Open MPI's alltoallw on a single process multiplies displacements by extents",
     [](const Case& its) { return is(its, "alltoallw") && its.shape->size() == 1; }},
    {"Open MPI's alltoalls on a single process, in place but not blocking, refuse negative extents",
     [](const Case& its) {
         return (is(its, "alltoall") || is(its, "alltoallv")) && its.shape->size() == 1 &&
                its.in_place != InPlace::nobody &&
                std::string_view(its.form->name) == "descending" &&
                calling().form != CallForm::blocking;
     }},
};

const std::vector<Defect> of_mpich{
    {"MPICH's alltoall on a single process hangs while a receive is posted",
     [](const Case& its) {
         return std::string_view(its.collective->name).starts_with("alltoall") &&
                its.shape->size() == 1;
     }},
    {"MPICH's allgatherv on a single process takes its displacement for 0",
     [](const Case& its) {
         return is(its, "allgatherv") && its.shape->size() == 1 &&
                its.irregular->places == Places::reversed;
     }},
    {"MPICH's persistent collectives on a single process lose derived types after some starts",
     [](const Case& its) {
         return its.shape->size() == 1 && calling().form == CallForm::persistent;
     }},
    {"MPICH's reduce-scatter makes its temporary memory too small where extents exceed the "
     "data",
     [](const Case& its) {
         // The library serves, too, where an operator must get whole messages.
         const bool is_one = is(its, "reduce_scatter_block") || is(its, "reduce_scatter");
         return is_one && its.form->wide && (keeps_whole(its) || order_is_the_library_s(its));
     }},
};

const Defect of_mpich_5{"MPICH 5.0's allreduce crashes where the result is at MPI_BOTTOM",
                        [](const Case& its) { return its.op && its.form->absolute; }};

/// A program of 15 lines without Laneway shows it: MPI_Sendrecv to oneself.
const Defect of_mpich_3{"MPICH 3 refuses to receive long packed data into a pair with a gap",
                        [](const Case& its) {
                            return std::string_view(its.form->name) == "pair" && its.count >= 1000;
                        }};

/// 2021.19, both in MPICH's binary interface and in the standard one; shown by programs without Laneway.
const Defect of_intel_mpi{
    "Intel MPI's reductions are wrong where a type has a lower bound, and crash where it has no "
    "data or lies at MPI_BOTTOM",
    [](const Case& its) {
        return its.op && (its.form->shifted || its.form->absolute ||
                          std::string_view(its.form->name) == "empty");
    }};

}  // namespace

const std::vector<Defect>& defects()
{
    static const std::vector<Defect> known = [] {
        std::vector<Defect> all = is_of_mpich() ? of_mpich : std::vector<Defect>();
        if (library().starts_with("Open MPI")) all = of_open_mpi;
        if (library().starts_with("Intel MPI")) all.push_back(of_intel_mpi);
        if (library().starts_with("MPICH 3")) all.push_back(of_mpich_3);
        if (library().starts_with("MPICH 5.0")) all.push_back(of_mpich_5);
        return all;
    }();
    return known;
}

bool library_writes_to_input(const Case& its)
{
    if (!is_of_mpich() || !is(its, "bcast")) return false;
    // A root that is not the first process of its machine gives the data to that one. Then it takes part in the
    // broadcast on the machine as all others do. The root's part of a component is its node's first, or its lane's,
    // only where it is the first of all.
    const bool by_messages = its.algorithm == "chain" || its.algorithm == "lane_pipeline";
    if (its.root != 0 && !by_messages) return true;
    // On 8 processes and more it scatters a long message, and the root takes part in the allgather.
    const Algorithm& algorithm = *registry::find(collective_of<Bcast>, its.algorithm);
    const bool native = algorithm.needs.regular && !algorithm.otherwise && !its.shape->regular();
    return native && its.shape->size() >= 8;
}

}  // namespace laneway::property
