// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/told.hpp"

namespace laneway {

std::string told(const Program& program, int rank, std::uint32_t strand, const Operation& operation)
{
    std::string text = "rank " + std::to_string(rank) + ": " + word_of(operation.kind);
    if (operation.kind == Operation::Kind::send || operation.kind == Operation::Kind::receive) {
        constexpr int first_lane = 2;
        const int context = program.contexts[operation.group];
        const char* const names[] = {"world", "node"};
        text += operation.kind == Operation::Kind::send ? " to rank " : " from rank ";
        text += std::to_string(operation.peer) + ", " + std::to_string(operation.count) +
                " elements, tag " + std::to_string(operation.tag) + ", on the ";
        text +=
            context < first_lane ? names[context] : "lane " + std::to_string(context - first_lane);
    }
    if (strand > 0) text += ", segment " + std::to_string(strand - 1);
    return text;
}

}  // namespace laneway
