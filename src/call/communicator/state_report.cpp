// SPDX-License-Identifier: BSD-3-Clause
// The report's facts about communicators.
#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "call/communicator/lifetime.hpp"
#include "call/communicator/state.hpp"
#include "library/error.hpp"
#include "library/identity.hpp"
#include "library/real.hpp"
#include "machine/node.hpp"
#include "report/process.hpp"

namespace laneway {
namespace {

std::string name_of(MPI_Comm comm)
{
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    check_raised(PMPI_Comm_get_name(comm, name.data(), &length));
    return name.data();
}

/// Was the first process of `comm` started together with this one? Others were spawned by us, or have
/// spawned us.
bool first_is_of_this_job(MPI_Comm comm)
{
    if (!world_is_there()) return true;
    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    check_raised(PMPI_Comm_group(comm, &group));
    check_raised(PMPI_Comm_group(MPI_COMM_WORLD, &world));
    const int first = 0;
    int found = MPI_UNDEFINED;
    const int code = PMPI_Group_translate_ranks(group, 1, &first, world, &found);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    check(code);
    return found != MPI_UNDEFINED;
}

}  // namespace

/// Communicators are told apart by the rank of their first process in MPI_COMM_WORLD and its count
/// of them. All their processes learn both, and which process that is, where the report was agreed on.
void State::find_place()
{
    constexpr int told_apart = 64;
    static std::atomic<int> led{0};
    ReportedComm reported{
        .id = settings_ ? "?" : native_because_, .name = {}, .ranks = member_.size};
    if (settings_ && settings_->reports()) {
        struct {
            std::int64_t rank, number;
            std::uint64_t id;
        } first{};
        if (member_.rank == 0) first = {world_rank().value_or(-1), led++, id_of_process()};
        check_raised(real::Bcast(&first, 3, MPI_INT64_T, 0, comm_));
        if (Report* report = Report::own(); report && first_is_of_this_job(comm_))
            report->same_job_as(first.id);
        reported.id = first.number < told_apart
                          ? std::to_string(first.rank) + "." + std::to_string(first.number)
                          : std::to_string(member_.size) + " ranks";
        find_whereabouts_once();
        const Shape shape = this->shape();
        reported.nodes = shape.nodes;
        reported.smallest = shape.smallest;
        reported.largest = shape.largest;
        reported.lanes = shape.lanes;
        if (shape.binding != Binding::unknown) reported.binding = name_of_binding(shape.binding);
        if (shape.cores != Cores::unknown) reported.cores = name_of_cores(shape.cores);
        if (first.number >= told_apart)
            reported.id += " on " + std::to_string(shape.nodes) + " nodes";
    }
    if (!Report::own()) return;
    reported.name = name_of(comm_);
    reported_ = std::make_unique<ReportedComm>(std::move(reported));
}

ReportedComm reported_of(MPI_Comm comm)
{
    listen_for_the_end();
    if (const State* state = State::existing(comm); state && state->reported())
        return *state->reported();
    ReportedComm reported{.id = "?", .name = name_of(comm)};
    check_raised(PMPI_Comm_size(comm, &reported.ranks));
    return reported;
}

}  // namespace laneway
