// SPDX-License-Identifier: BSD-3-Clause
#include "switch/addresses.hpp"

#include <algorithm>
#include <array>

namespace laneway::lanes {
namespace {

constexpr std::size_t address_bytes = 6;

/// How the Ethernet address of a lane begins; its number and that of its node, two bytes, follow.
constexpr std::array ours = {std::byte{0x02}, std::byte{0x4c}, std::byte{0x57}};

constexpr std::byte for_several{1};  ///< In the first byte of an address.

}  // namespace

std::string Layout::device(std::size_t port) const
{
    return "p" + std::to_string(port / lanes) + "-lane" + std::to_string(port % lanes);
}

std::vector<std::size_t> Layout::targets(std::size_t port, std::span<const std::byte> frame) const
{
    if (frame.size() < address_bytes) return {};
    if ((frame[0] & for_several) == std::byte{0}) {
        const auto to = owner(frame.first(address_bytes));
        return to && reaches(port, *to) ? std::vector{*to} : std::vector<std::size_t>{};
    }
    std::vector<std::size_t> found;
    for (std::size_t to = 0; to < ports(); ++to)
        if (reaches(port, to)) found.push_back(to);
    return found;
}

std::optional<std::size_t> Layout::owner(std::span<const std::byte> address) const
{
    if (!std::ranges::equal(address.first(ours.size()), ours)) return std::nullopt;
    const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(address[at]); };
    const std::size_t lane = byte(3), node = byte(4) * 256 + byte(5);
    if (lane >= lanes || node >= nodes) return std::nullopt;
    return node * lanes + lane;
}

bool Layout::reaches(std::size_t from, std::size_t to) const
{
    return from != to && (joint || from % lanes == to % lanes);
}

}  // namespace laneway::lanes
