// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "containers/few.hpp"
#include "data/buffer.hpp"
#include "messages/comm.hpp"

namespace laneway {

/// Point-to-point messages under way. Messages between two processes with one tag arrive in the order they were sent
/// in. Empty messages are not sent: both sides know their length, and a message of another length is an error. Memory
/// and datatypes must live until messages have been waited for.
class Messages {
public:
    explicit Messages(const Comm& comm) : comm_(comm) {}
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;
    /// Gives up messages that an error has left under way: they must not reach memory that is freed.
    ~Messages();

    void send(const Buffer& data, int to, int tag = 0);
    void receive(const Buffer& data, int from, int tag = 0);

    /// Waits for the oldest messages until no more than `under_way` are left; the buffers of the
    /// others may then be used again.
    void wait(std::size_t under_way = 0);

private:
    void record_wait(std::size_t under_way);
    void wait_for_all(std::size_t oldest);
    void check_statuses(int code, std::span<const MPI_Status> oldest) const;
    /// Finishes messages of the channel that are over, among the oldest; true: all these are over.
    bool finish(std::size_t oldest);

    /// A message by the channel of the node.
    struct Near {
        std::size_t message;
        NodeMessage* near;
    };
    void keep(NodeMessage* near)
    {
        if (near) near_.push_back({requests_.size() - 1, near});
    }

    const Comm& comm_;
    Few<MPI_Request, 6> requests_;         ///< null: the message is the channel's, or over
    Few<std::int64_t, 6> lengths_;         ///< bytes of messages that the library receives
    Few<Near, 6> near_;                    ///< in the order of messages
    std::vector<std::uint32_t> recorded_;  ///< messages, where they are recorded
};

}  // namespace laneway
