// SPDX-License-Identifier: BSD-3-Clause
#include "choose/lanes.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>

#include "choose/variable.hpp"
#include "mpi/library.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// A parameter of Open MPI's: by its variable, the user's file, the installation's; where it stands first.
std::string open_mpi_parameter(const std::string& name)
{
    if (std::string value = variable("OMPI_MCA_" + name); !value.empty()) return value;
    constexpr const char* file = "openmpi-mca-params.conf";
    const std::array<fs::path, 3> files{fs::path(variable("HOME")) / ".openmpi" / "mca-params.conf",
                                        fs::path(library_prefix()) / "etc" / file,
                                        fs::path("/etc/openmpi") / file};  // Debian's
    for (const fs::path& path : files) {
        if (path.is_relative()) continue;  // there is no home, or no prefix
        if (std::string value = parameter_in(content_of(path), name); !value.empty()) return value;
    }
    return "";
}

/// Whether a list of components such as `self,vader,tcp`, or `^tcp`, has that one; an empty list has all.
bool has_component(std::string_view list, std::string_view name)
{
    if (list.empty()) return true;
    const bool excluded = list.starts_with('^');
    if (excluded) list.remove_prefix(1);
    while (!list.empty())
        if (trimmed(next(list, ',')) == name) return !excluded;
    return excluded;
}

/// Which Ethernet devices an MPI library sends by.
struct Sending {
    std::string include;  ///< empty: all
    std::string exclude;
    bool has(std::string_view device, unsigned address) const
    {
        return include.empty() ? !is_listed(exclude, device, address)
                               : is_listed(include, device, address);
    }
};

/// Empty where nobody knows. Open MPI sends by all devices of a node at once, MPICH by one that it chooses unless
/// UCX_NET_DEVICES names several.
std::optional<Sending> sending_of_library()
{
    if (library_name().starts_with("Open MPI")) {
        const std::string pml = open_mpi_parameter("pml");
        if (!has_component(open_mpi_parameter("btl"), "tcp") || !has_component(pml, "ob1"))
            return std::nullopt;
        return Sending{open_mpi_parameter("btl_tcp_if_include"),
                       open_mpi_parameter("btl_tcp_if_exclude")};
    }
    const std::string named = variable("UCX_NET_DEVICES");
    if (named.empty() || named == "all") return std::nullopt;
    return Sending{named, ""};
}

/// IPv4 addresses of this machine's interfaces, and the subnets that they are in.
struct Ipv4 {
    unsigned host;
    unsigned mask;
};
std::map<std::string, Ipv4> addresses()
{
    ifaddrs* first = nullptr;
    std::map<std::string, Ipv4> found;
    if (getifaddrs(&first) != 0) return found;
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(first, freeifaddrs);
    const auto number = [](const sockaddr* address) {
        return ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr);
    };
    for (const ifaddrs* one = first; one; one = one->ifa_next)
        if (one->ifa_addr && one->ifa_netmask && one->ifa_addr->sa_family == AF_INET)
            found.try_emplace(one->ifa_name, number(one->ifa_addr), number(one->ifa_netmask));
    return found;
}

std::string names_of(const std::vector<NetworkDevice>& lanes)
{
    std::string names;
    for (const NetworkDevice& lane : lanes) names += (names.empty() ? "" : ", ") + lane.name;
    return names;
}

/// As an emulated cluster says; 0: it is none, or says no number.
int emulated_lanes()
{
    try {
        const std::string said = variable("LANEWAY_EMULATED_LANES");
        return said.empty() ? 0 : static_cast<int>(number(said, 1, 1024));
    } catch (const Misunderstood&) {
        return 0;
    }
}

FoundLanes find_lanes()
{
    if (const int lanes = emulated_lanes(); lanes > 0) return {lanes, "emulated cluster"};
    const std::vector<NetworkDevice> lanes = lanes_of("/sys/class");
    return {static_cast<int>(lanes.size()), names_of(lanes)};
}

}  // namespace

const FoundLanes& found_lanes()
{
    static const FoundLanes nobody_knows;
    if (!variable("LANEWAY_NODE_SIZE").empty()) return nobody_knows;
    static const FoundLanes found = find_lanes();
    return found;
}

std::vector<NetworkDevice> lanes_of(const std::string& folder)
{
    const std::optional<Sending> sending = sending_of_library();
    const std::map<std::string, Ipv4> known = addresses();
    return lanes_among(devices_of(folder), [&](const std::string& device) {
        const auto address = known.find(device);
        if (!sending || address == known.end()) return std::string();
        const auto [host, mask] = address->second;
        return sending->has(device, host) ? std::to_string(host & mask) : "";
    });
}

bool is_listed(std::string_view list, std::string_view device, unsigned address)
{
    while (!list.empty()) {
        const std::string_view entry = trimmed(next(list, ','));
        if (entry == device) return true;
        std::string_view bits = entry;
        const std::string subnet(next(bits, '/'));
        in_addr number{};
        if (bits.empty() || inet_pton(AF_INET, subnet.c_str(), &number) != 1) continue;
        const int length = std::clamp(std::atoi(std::string(bits).c_str()), 0, 32);
        const unsigned mask = length == 0 ? 0 : ~0U << (32 - length);
        if ((ntohl(number.s_addr) & mask) == (address & mask)) return true;
    }
    return false;
}

std::string parameter_in(std::string_view text, std::string_view name)
{
    std::string value;
    while (!text.empty()) {
        std::string_view line = next(text, '\n');
        line = trimmed(line.substr(0, line.find('#')));
        if (trimmed(next(line, '=')) == name) value = trimmed(line);
    }
    return value;
}

}  // namespace laneway
