// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "data/buffer.hpp"
#include "data/segments.hpp"
#include "messages/messages.hpp"
#include "walks/links.hpp"

namespace laneway {

/// Segments on their way down a tree. The next one may arrive while the present one is sent on; none is sent
/// on before the one ahead of it has left.
class Down {
public:
    /// Segments of `bytes` bytes. The links must outlive it.
    Down(const Buffer& data, std::int64_t bytes, const Links& links)
        : segments_(data, bytes),
          links_(links),
          arriving_(links.comm),
          leaving_(links.comm)
    {
    }

    int segments() const { return segments_.count(); }

    /// Takes a segment from the parent, and sends it on to the children; 0, 1 ... in turn. Past the last one, nothing
    /// is under way.
    void segment(int number);

private:
    Segments segments_;
    const Links& links_;
    Messages arriving_, leaving_;
};

/// Sends all of `data` from the root to everyone.
void send_down(const Buffer& data, std::int64_t bytes, const Links& links);

}  // namespace laneway
