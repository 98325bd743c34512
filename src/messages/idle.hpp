// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "messages/comm.hpp"

namespace laneway {

/// What a process does while nothing of what it waits for moves: at first it only looks again; then, between two looks,
/// it leaves its processor to whoever else wants it, and has the library make progress with the program's own messages,
/// which others may be waiting for. Where the node has more processes than processors, it leaves its processor at once,
/// and the library makes progress now and then.
class Idle {
public:
    /// In waits on a communicator that has a channel.
    explicit Idle(const Comm& comm) : comm_(comm) {}

    /// Something has moved.
    void moved() { looks_ = 0; }
    /// Nothing has. `asked`: the library has been asked just now about messages of its own.
    void relax(bool asked);
    /// Nothing has. True: what is to come soon may be looked for again at once; no processor is left, no progress made.
    bool looks_on();

private:
    const Comm& comm_;
    unsigned looks_ = 0;
};

/// A process waits for an operation that it carries on in the library's progress: that is made once, and the processor is
/// left to those whose part is missing.
void let_others_go_on(const Comm& comm);

}  // namespace laneway
