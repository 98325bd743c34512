// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "node/arrival.hpp"
#include "node/message.hpp"

namespace laneway {

class NodeChannel;

/// Messages that the strands of an execution wait for, by MPI or by the channel of a node.
class Awaited {
public:
    /// A message of `strand` is over; `code`: its error.
    using Over = std::function<void(std::size_t strand, int code)>;

    /// Makes room for so many requests, of messages on a communicator, and so many messages of the channel (null: there
    /// is none) at once.
    Awaited(std::size_t requests, MPI_Comm comm, std::size_t near, NodeChannel* channel, Over over);
    ~Awaited();
    Awaited(const Awaited&) = delete;
    Awaited& operator=(const Awaited&) = delete;

    /// `length`: bytes that a message which comes must have.
    void add(std::size_t strand, MPI_Request request, std::int64_t length = any_length);
    void add(std::size_t strand, NodeMessage* message);

    /// Gives up messages that an error has left under way.
    void give_up();

    bool any_near() const { return !near_.empty(); }
    bool any_request() const { return !requests_.empty(); }

    /// Takes off messages that are over, without waiting; true: there were some. Throws Error where the library cannot
    /// even be asked.
    bool look();
    /// Does as look(), in the library's progress, which looks for messages itself.
    bool look_at_news();
    /// Does as look(), without a look at the network.
    bool look_at_what_is_there();
    /// Waits in the library, for requests alone. Throws Error.
    void wait();

private:
    bool look_near();
    bool look_at_found();
    bool test();
    bool settle(int code, int completed);

    struct Near {
        std::size_t strand;
        NodeMessage* message;
    };
    std::vector<MPI_Request> requests_;
    std::vector<std::size_t> strands_;   ///< the strands of the requests
    std::vector<std::int64_t> lengths_;  ///< the lengths of the requests' messages
    std::optional<unsigned> seen_;       ///< the library's news as of the last look at them
    std::vector<Near> near_;
    const MPI_Comm comm_;
    NodeChannel* const channel_;
    const Over over_;
    std::vector<int> indices_;
    std::vector<MPI_Status> statuses_;
};

}  // namespace laneway
