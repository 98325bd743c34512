// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm.hpp"

#include <atomic>

#include "mpi/error.hpp"
#include "mpi/flow.hpp"
#include "mpi/node_channel.hpp"
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
    child.flow_ = std::make_shared<Flow>(child.size_);
    return child;
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
    if (flow_) flow_->leave();
    real::Comm_free(&handle_);
}

namespace {

/// Negative: messages to and from that rank go by the library.
int member(const Comm::Near* near, int rank)
{
    return near && !near->members.empty() ? near->members[static_cast<std::size_t>(rank)] : -1;
}

}  // namespace

int Comm::send(const void* data, int count, MPI_Datatype type, int to, int tag,
               MPI_Request* request, NodeMessage** near) const
{
    *request = MPI_REQUEST_NULL;
    *near = nullptr;
    if (const int its = member(near_.get(), to); its >= 0)
        return near_->channel->send({const_cast<void*>(data), count, type, handle_}, its,
                                    near_->context, tag, near);
    return flow_->send(data, count, type, to, tag, handle_, request);
}

int Comm::receive(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Request* request,
                  NodeMessage** near) const
{
    *request = MPI_REQUEST_NULL;
    *near = nullptr;
    if (const int its = member(near_.get(), from); its >= 0)
        return near_->channel->receive({data, count, type, handle_}, its, near_->context, tag,
                                       near);
    return PMPI_Irecv(data, count, type, from, tag, handle_, request);
}

int Comm::alive() { return communicators; }

void Comm::abandon(bool yes) { abandoned = yes; }

bool Comm::is_abandoned() { return abandoned; }

}  // namespace laneway
