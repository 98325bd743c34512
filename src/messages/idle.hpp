// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "messages/comm.hpp"

namespace laneway {

/// The behaviour of a process that waits while nothing moves. At first it only looks again. Then, between two looks, it
/// leaves its processor to whoever else wants it. It also has the library make progress with the program's own
/// messages, which others may be waiting for. Where the node has more processes than processors, it leaves its
/// processor at once, and the library makes progress now and then.
class Idle {
public:
    /// For waits on a communicator that has a channel.
    explicit Idle(const Comm& comm) : comm_(comm) {}

    /// Something has moved.
    void moved() { looks_ = 0; }
    /// Nothing has moved. `asked`: the library has been asked just now about messages of its own.
    void relax(bool asked);
    /// Nothing has moved. True: a message that is to come soon may be looked for again at once. This leaves no
    /// processor and makes no progress.
    bool looks_on();

private:
    const Comm& comm_;
    unsigned looks_ = 0;
};

/// Lets others go on, where a process waits for an operation that it carries on in the library's progress. The library
/// makes progress once, and the processor is left to processes whose part is missing.
void let_others_go_on(const Comm& comm);

}  // namespace laneway
