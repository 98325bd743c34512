// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/messages.hpp"

#include "mpi/error.hpp"
#include "mpi/real.hpp"
#include "mpi/recording.hpp"

namespace laneway {

Messages::~Messages()
{
    for (MPI_Request& request : requests_) {
        if (request == MPI_REQUEST_NULL) continue;
        real::Cancel(&request);
        real::Request_free(&request);
    }
}

void Messages::send(const Buffer& data, int to, int tag)
{
    if (data.count == 0) return;
    if (Recording* const recording = Recording::current())
        return recorded_.push_back(recording->send(comm_, data, to, tag));
    check(comm_.send(data.data, static_cast<int>(data.count), data.type, to, tag,
                     &requests_.emplace_back(MPI_REQUEST_NULL)));
}

void Messages::receive(const Buffer& data, int from, int tag)
{
    if (data.count == 0) return;
    if (Recording* const recording = Recording::current())
        return recorded_.push_back(recording->receive(comm_, data, from, tag));
    check(comm_.receive(data.data, static_cast<int>(data.count), data.type, from, tag,
                        &requests_.emplace_back(MPI_REQUEST_NULL)));
}

void Messages::wait(std::size_t under_way)
{
    if (!recorded_.empty()) return record_wait(under_way);
    if (requests_.size() <= under_way) return;
    const std::size_t oldest = requests_.size() - under_way;
    check(PMPI_Waitall(static_cast<int>(oldest), requests_.data(), MPI_STATUSES_IGNORE));
    requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(oldest));
}

void Messages::record_wait(std::size_t under_way)
{
    if (recorded_.size() <= under_way) return;
    const std::size_t oldest = recorded_.size() - under_way;
    Recording::current()->wait(recorded_.data(), oldest);
    recorded_.erase(recorded_.begin(), recorded_.begin() + static_cast<std::ptrdiff_t>(oldest));
}

}  // namespace laneway
