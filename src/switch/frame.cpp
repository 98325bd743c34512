// SPDX-License-Identifier: BSD-3-Clause
#include "switch/frame.hpp"

#include <linux/if_ether.h>
#include <netinet/in.h>

#include <algorithm>

namespace laneway::lanes {
namespace {

constexpr std::size_t addresses_at = 12;  ///< Place of 8 bytes of addresses in the header of IPv4.
constexpr std::size_t least_ip = 20;
constexpr std::size_t least_tcp = 20;
constexpr std::size_t tcp_other_than_ack = 0b111;  ///< FIN, SYN, RST.

/// The FNV-1a hash of bytes, continued from `hash`.
std::uint64_t hashed(std::span<const std::byte> bytes, std::uint64_t hash)
{
    for (const std::byte each : bytes)
        hash = (hash ^ std::to_integer<std::uint64_t>(each)) * 0x100000001b3U;
    return hash;
}

/// The sizes of a large segment's frames: each has `headers` bytes before its data, as the segment has.
Size size_of(std::size_t bytes, std::size_t headers, std::size_t segment)
{
    const std::size_t data = bytes - std::min(bytes, headers);
    if (segment == 0 || data <= segment) return {.last = static_cast<std::int64_t>(bytes)};
    const std::size_t before = (data - 1) / segment;
    return {.full = static_cast<std::int64_t>(headers + segment),
            .before = static_cast<std::int64_t>(before),
            .last = static_cast<std::int64_t>(headers + data - before * segment)};
}

}  // namespace

std::size_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t length)
{
    if (at + length > bytes.size()) return 0;
    std::size_t value = 0;
    for (const std::byte each : bytes.subspan(at, length))
        value = value << 8U | std::to_integer<std::size_t>(each);
    return value;
}

Facts facts_of(std::span<const std::byte> frame, std::size_t segment)
{
    constexpr std::uint64_t start = 0xcbf29ce484222325U;
    Facts facts{
        .size = size_of(frame.size(), frame.size(), 0),
        .connection = hashed(frame.first(std::min<std::size_t>(ETH_HLEN, frame.size())), start)};
    if (number(frame, ETH_HLEN - 2, 2) != ETH_P_IP || frame.size() < ETH_HLEN + least_ip)
        return facts;

    const auto ip = frame.subspan(ETH_HLEN);
    const std::size_t ip_header = (number(ip, 0, 1) & 0xFU) * 4;
    facts.connection = hashed(ip.subspan(addresses_at, 8), start);
    const bool first_part = (number(ip, 6, 2) & 0x1FFFU) == 0;  // The others have no ports.
    if (number(ip, 9, 1) != IPPROTO_TCP || !first_part || ip.size() < ip_header + least_tcp)
        return facts;

    const auto tcp = ip.subspan(ip_header);
    const std::size_t tcp_header = (number(tcp, 12, 1) >> 4U) * 4;
    facts.connection = hashed(tcp.first(4), facts.connection);
    facts.size = size_of(frame.size(), ETH_HLEN + ip_header + tcp_header, segment);
    // A short frame may be padded: the header says its length.
    const std::size_t length = std::max(number(ip, 2, 2), segment > 0 ? ip.size() : 0);
    facts.message =
        length > ip_header + tcp_header || (number(tcp, 13, 1) & tcp_other_than_ack) != 0;
    return facts;
}

}  // namespace laneway::lanes
