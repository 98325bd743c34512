// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm.hpp"

#include <atomic>

#include "mpi/error.hpp"
#include "mpi/flow.hpp"
#include "mpi/real.hpp"

namespace laneway {
namespace {

std::atomic<int> communicators{0};
std::atomic<bool> abandoned{false};

}  // namespace

Comm Comm::split(MPI_Comm parent, int color, int key)
{
    Comm child;
    check(PMPI_Comm_split(parent, color, key, &child.handle_));
    if (child.handle_ == MPI_COMM_NULL) return child;
    ++communicators;
    check(PMPI_Comm_set_errhandler(child.handle_, MPI_ERRORS_RETURN));
    check(PMPI_Comm_rank(child.handle_, &child.rank_));
    check(PMPI_Comm_size(child.handle_, &child.size_));
    child.carrier_ = child.handle_;
    child.flow_ = std::make_shared<Flow>(child.size_);
    return child;
}

Comm Comm::part(int context, int rank, int size, const int* ranks) const
{
    Comm part = recorded(context, rank, size, ranks);
    part.carrier_ = carrier_;
    part.contexts_ = contexts_;
    part.flow_ = flow_;
    return part;
}

Comm Comm::recorded(int context, int rank, int size, const int* ranks)
{
    Comm comm;
    comm.rank_ = rank;
    comm.size_ = size;
    comm.context_ = context;
    comm.ranks_ = ranks;
    return comm;
}

Comm::~Comm()
{
    if (handle_ == MPI_COMM_NULL) return;
    --communicators;
    if (abandoned) return;
    if (carrier_ == handle_) flow_->leave();
    real::Comm_free(&handle_);
}

int Comm::send(const void* data, int count, MPI_Datatype type, int to, int tag,
               MPI_Request* request) const
{
    return flow_->send(data, count, type, world_rank(to), tag_of(tag), carrier_, request);
}

int Comm::receive(void* data, int count, MPI_Datatype type, int from, int tag,
                  MPI_Request* request) const
{
    return PMPI_Irecv(data, count, type, world_rank(from), tag_of(tag), carrier_, request);
}

int Comm::greatest_tag() const
{
    void* value = nullptr;
    int found = 0;
    check(PMPI_Comm_get_attr(carrier_, MPI_TAG_UB, static_cast<void*>(&value), &found));
    constexpr int least_of_all_libraries = 32767;
    const int greatest = found ? *static_cast<int*>(value) : least_of_all_libraries;
    return (greatest - contexts_ + 1) / contexts_;
}

int Comm::alive() { return communicators; }

void Comm::abandon(bool yes) { abandoned = yes; }

bool Comm::is_abandoned() { return abandoned; }

}  // namespace laneway
