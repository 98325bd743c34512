// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace laneway {

/// Bounds how far the calling process runs ahead of each other process of a communicator. Libraries send short messages
/// without asking the receiver, and keep them there until they are received. So a process that is late would have to
/// keep all messages that the others have sent, of call after call.
///
/// So one message of every 512 KiB (a unit) is synchronous: it completes when it is received. It is sent from a copy,
/// so that nobody has to wait for it; it is looked at when the next one is due. If it has not been received even then,
/// its receiver is late. Messages to this receiver are synchronous themselves until it has been received: whoever waits
/// for them waits for the receiver. Texts bear that, as they bear it with long messages (laneway-prove lets no send end
/// before it is received). So processes never wait in a circle. A late process thus has two units of messages to keep
/// from each other process, and those that the other one sends before it waits.
class Flow {
public:
    /// For messages to the processes of a communicator with `size` of them.
    explicit Flow(int size);
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;
    ~Flow();

    /// Sends as MPI_Isend; a null request says that `data` may be used again. `comm` is always the same. Several
    /// threads may send. Returns an MPI error code.
    int send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
             MPI_Request* request);

    /// The communicator is about to be freed: copies that have not been received yet are kept. Waits for nobody.
    void leave();

    /// Waits until all copies have been received: until late processes have come to the messages that others have left
    /// behind.
    static void finish_all();

private:
    struct Copy {
        std::vector<std::byte> bytes;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    struct All;
    static All& all();
    static bool is_received(Copy& copy);

    int send_synchronously(const void* data, int count, MPI_Datatype type, int to, int tag,
                           MPI_Comm comm, MPI_Request* request);

    /// By process: bytes since the last synchronous message.
    std::unique_ptr<std::atomic<std::int64_t>[]> since_;
    std::unordered_map<int, Copy> copies_;  ///< by process, the latest copy
    std::atomic_flag copying_;              ///< a thread is at the copies
};

}  // namespace laneway
