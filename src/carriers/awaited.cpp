// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/awaited.hpp"

#include <atomic>
#include <utility>

#include "mpi/error.hpp"
#include "mpi/node_channel.hpp"

namespace laneway {

Awaited::Awaited(std::size_t requests, std::size_t near, NodeChannel* channel, Over over)
    : channel_(channel),
      over_(std::move(over)),
      indices_(requests),
      statuses_(requests)
{
    requests_.reserve(requests);
    strands_.reserve(requests);
    near_.reserve(near);
}

Awaited::~Awaited()
{
    for (const Near& one : near_) channel_->give_up(one.message);
}

void Awaited::add(std::size_t strand, MPI_Request request)
{
    requests_.push_back(request);
    strands_.push_back(strand);
}

void Awaited::add(std::size_t strand, NodeMessage* message) { near_.push_back({strand, message}); }

bool Awaited::look()
{
    const bool any_near = look_near();
    if (requests_.empty()) return any_near;
    int completed = 0;
    const int code = PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &completed,
                                   indices_.data(), statuses_.data());
    settle(code, completed);
    return any_near || completed != 0;
}

void Awaited::wait()
{
    int completed = 0;
    const int code = PMPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &completed,
                                   indices_.data(), statuses_.data());
    settle(code, completed);
}

bool Awaited::look_near()
{
    std::size_t kept = 0;
    for (const Near& one : near_) {
        if (!one.message->done.load(std::memory_order_acquire))
            near_[kept++] = one;
        else
            over_(one.strand, channel_->finish(one.message));
    }
    const bool any = kept < near_.size();
    near_.resize(kept);
    return any;
}

/// The messages' statuses have the errors.
static bool is_in_status(int code)
{
    if (code == MPI_SUCCESS) [[likely]]
        return false;
    int its_class = code;
    PMPI_Error_class(code, &its_class);
    return its_class == MPI_ERR_IN_STATUS;
}

/// Takes completed requests off; `code` is that of their completion.
void Awaited::settle(int code, int completed)
{
    const bool failed = is_in_status(code);
    if (!failed) check(code);  // of no message: nothing can go on
    for (int index = 0; index < completed; ++index)
        over_(strands_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(index)])],
              failed ? statuses_[static_cast<std::size_t>(index)].MPI_ERROR : MPI_SUCCESS);
    std::size_t kept = 0;
    for (std::size_t index = 0; index < requests_.size(); ++index) {
        if (requests_[index] == MPI_REQUEST_NULL) continue;
        requests_[kept] = requests_[index];
        strands_[kept++] = strands_[index];
    }
    requests_.resize(kept);
    strands_.resize(kept);
}

}  // namespace laneway
