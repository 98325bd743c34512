// SPDX-License-Identifier: BSD-3-Clause
#include "walks/down.hpp"

#include <ranges>

namespace laneway {

void Down::segment(int number)
{
    if (!links_.is_root()) {
        if (number == 0) arriving_.receive(segments_[0], links_.parent, links_.tag);
        arriving_.wait();
        arriving_.receive(segments_[number + 1], links_.parent, links_.tag);
    }
    leaving_.wait();
    // The last child of a tree in preorder has most below it.
    for (const int child : links_.children | std::views::reverse)
        leaving_.send(segments_[number], child, links_.tag);
}

void send_down(const Buffer& data, std::int64_t bytes, const Links& links)
{
    // A segment that is alone takes turns with nothing: a short call is spared the cost of turns.
    if (Segments(data, bytes).count() == 1) {
        Messages message(links.comm);
        if (!links.is_root()) message.receive(data, links.parent, links.tag);
        message.wait();
        for (const int child : links.children | std::views::reverse)
            message.send(data, child, links.tag);
        return message.wait();
    }
    Down down(data, bytes, links);
    for (int number = 0; number <= down.segments(); ++number) down.segment(number);
}

}  // namespace laneway
