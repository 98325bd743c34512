// SPDX-License-Identifier: BSD-3-Clause
#include "messages/messages.hpp"

#include <algorithm>
#include <span>

#include "data/datatype.hpp"
#include "data/recording.hpp"
#include "library/error.hpp"
#include "library/real.hpp"
#include "messages/idle.hpp"
#include "node/arrival.hpp"
#include "node/channel.hpp"

namespace laneway {

Messages::~Messages()
{
    for (const Near& one : near_) comm_.channel()->give_up(one.near);
    for (MPI_Request& request : requests_) laneway::give_up(request);
}

void Messages::send(const Buffer& data, int to, int tag)
{
    if (data.count == 0) return;
    if (Recording* const recording = Recording::current())
        return recorded_.push_back(recording->send(comm_, data, to, tag));
    NodeMessage* near = nullptr;
    check(comm_.send(data.data, static_cast<int>(data.count), data.type, to, comm_.tag_in_turn(tag),
                     &requests_.emplace_back(MPI_REQUEST_NULL), &near));
    lengths_.push_back(any_length);
    keep(near);
}

void Messages::receive(const Buffer& data, int from, int tag)
{
    if (data.count == 0) return;
    if (Recording* const recording = Recording::current())
        return recorded_.push_back(recording->receive(comm_, data, from, tag));
    NodeMessage* near = nullptr;
    check(comm_.receive(data.data, static_cast<int>(data.count), data.type, from,
                        comm_.tag_in_turn(tag), &requests_.emplace_back(MPI_REQUEST_NULL), &near));
    lengths_.push_back(requests_.back() == MPI_REQUEST_NULL ? any_length
                                                            : data.count * size_of(data.type));
    keep(near);
}

void Messages::wait(std::size_t under_way)
{
    if (!recorded_.empty()) return record_wait(under_way);
    if (requests_.size() <= under_way) return;
    const std::size_t oldest = requests_.size() - under_way;
    wait_for_all(oldest);
    requests_.drop_front(oldest);
    lengths_.drop_front(oldest);
    for (Near& one : near_) one.message -= oldest;
}

void Messages::wait_for_all(std::size_t oldest)
{
    const auto all = std::span(requests_).first(oldest);
    const auto is_over = [](MPI_Request request) { return request == MPI_REQUEST_NULL; };
    NodeChannel* const channel = comm_.channel();
    Few<MPI_Status, 6> statuses;
    if (!std::ranges::all_of(all, is_over)) statuses = Few<MPI_Status, 6>(oldest);
    for (Idle idle(comm_); !finish(oldest) || (channel && channel->is_busy());) {
        const bool moved = channel->progress();
        int over = std::ranges::all_of(all, is_over);
        const bool asked = !over;
        if (asked)
            check_statuses(
                real::Testall(static_cast<int>(oldest), all.data(), &over, statuses.data()),
                over ? std::span<const MPI_Status>(statuses) : std::span<const MPI_Status>());
        if (over && finish(oldest)) return;
        moved ? idle.moved() : idle.relax(asked);
    }
    if (!std::ranges::all_of(all, is_over))
        check_statuses(real::Waitall(static_cast<int>(oldest), all.data(), statuses.data()),
                       statuses);
}

/// Checks the statuses of messages that are over, whose completion returned `code`.
void Messages::check_statuses(int code, std::span<const MPI_Status> oldest) const
{
    const bool failed = is_in_status(code);
    if (!failed) check(code);
    for (std::size_t index = 0; index < oldest.size(); ++index)
        if (!failed || oldest[index].MPI_ERROR != MPI_ERR_PENDING)
            check(outcome_of(oldest[index], failed, lengths_[index]));
    check(code);
}

bool Messages::finish(std::size_t oldest)
{
    bool all = true;
    std::size_t kept = 0;
    int code = MPI_SUCCESS;
    for (const Near& one : near_) {
        if (one.message < oldest && one.near->done.load(std::memory_order_acquire)) {
            const int its = comm_.channel()->finish(one.near);
            if (code == MPI_SUCCESS) code = its;
            continue;
        }
        all = all && one.message >= oldest;
        near_[kept++] = one;
    }
    near_.shrink(kept);
    check(code);
    return all;
}

void Messages::record_wait(std::size_t under_way)
{
    if (recorded_.size() <= under_way) return;
    const std::size_t oldest = recorded_.size() - under_way;
    Recording::current()->wait(recorded_.data(), oldest);
    recorded_.erase(recorded_.begin(), recorded_.begin() + static_cast<std::ptrdiff_t>(oldest));
}

}  // namespace laneway
