// SPDX-License-Identifier: BSD-3-Clause
#include "switch/addresses.hpp"

#include <linux/if_ether.h>

#include <algorithm>
#include <array>

#include "switch/frame.hpp"

namespace laneway::lanes {
namespace {

constexpr std::size_t address_bytes = 6;

/// The beginning of a lane's Ethernet address; the lane's number and that of its node, two bytes, follow.
constexpr std::array ours = {std::byte{0x02}, std::byte{0x4c}, std::byte{0x57}};

/// The router's address, to which nodes send whatever goes to another node.
constexpr std::array router = {ours[0],         ours[1],         ours[2],
                               std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}};

constexpr std::byte for_several{1};  ///< A bit in the first byte of an address.

/// The IPv4 address of lane l of node i is 10.(l+1), then i+1 in two bytes.
constexpr std::size_t target_at = ETH_HLEN + 16;  ///< Place of the target's address in a frame.
constexpr std::size_t network = 10;

bool to_router(std::span<const std::byte> frame)
{
    return frame.size() >= router.size() && std::ranges::equal(frame.first(router.size()), router);
}

}  // namespace

std::string Layout::device(std::size_t port) const
{
    return "p" + std::to_string(port / lanes) + "-lane" + std::to_string(port % lanes);
}

std::vector<std::size_t> Layout::targets(std::size_t port, std::span<const std::byte> frame) const
{
    if (frame.size() < address_bytes) return {};
    if ((frame[0] & for_several) == std::byte{0}) {
        const auto to = owner(frame);
        return to && reaches(port, *to) ? std::vector{*to} : std::vector<std::size_t>{};
    }
    std::vector<std::size_t> found;
    for (std::size_t to = 0; to < ports(); ++to)
        if (reaches(port, to)) found.push_back(to);
    return found;
}

void Layout::direct(std::span<std::byte> frame, std::size_t to) const
{
    if (!to_router(frame)) return;
    const std::size_t lane = to % lanes, node = to / lanes;
    frame[3] = static_cast<std::byte>(lane);
    frame[4] = static_cast<std::byte>(node >> 8U);
    frame[5] = static_cast<std::byte>(node);
}

/// The owner by the IPv4 address in a frame to the router, by the Ethernet address in others.
std::optional<std::size_t> Layout::owner(std::span<const std::byte> frame) const
{
    if (!to_router(frame))
        return std::ranges::equal(frame.first(ours.size()), ours)
                   ? port(number(frame, 4, 2), number(frame, 3, 1))
                   : std::nullopt;
    if (number(frame, ETH_HLEN - 2, 2) != ETH_P_IP || number(frame, target_at, 1) != network)
        return std::nullopt;
    return port(number(frame, target_at + 2, 2) - 1, number(frame, target_at + 1, 1) - 1);
}

std::optional<std::size_t> Layout::port(std::size_t node, std::size_t lane) const
{
    if (lane >= lanes || node >= nodes) return std::nullopt;
    return node * lanes + lane;
}

bool Layout::reaches(std::size_t from, std::size_t to) const
{
    return from != to && (joint || from % lanes == to % lanes);
}

}  // namespace laneway::lanes
