// SPDX-License-Identifier: BSD-3-Clause
#include "machine/lanes.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "library/identity.hpp"
#include "machine/variable.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

namespace fs = std::filesystem;

[[gnu::noinline]] std::string content_of(const fs::path& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// The value of a parameter of Open MPI's: from its variable, the user's file or the installation's, whichever has it
/// first.
std::string open_mpi_parameter(const std::string& name)
{
    if (std::string value = variable("OMPI_MCA_" + name); !value.empty()) return value;
    constexpr const char* file = "openmpi-mca-params.conf";
    const std::string moved = variable("OPAL_PREFIX");
    const std::array<fs::path, 4> files{
        fs::path(variable("HOME")) / ".openmpi" / "mca-params.conf",
        fs::path(moved.empty() ? library_prefix() : moved) / "etc" / file,
        fs::path("/etc/openmpi") / file,          // Debian's
        fs::path("/etc/openmpi-x86_64") / file};  // Fedora's and those of its kin
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

/// The Ethernet devices that an MPI library sends by.
struct Sending {
    std::string include;  ///< empty: all
    std::string exclude;
    bool has(std::string_view device, unsigned address) const
    {
        return include.empty() ? !is_listed(exclude, device, address)
                               : is_listed(include, device, address);
    }
};

/// The devices that the MPI library in use sends by; empty where nobody knows. Open MPI sends by all devices of a node
/// at once, MPICH by one that it chooses unless UCX_NET_DEVICES names several.
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

struct Ipv4 {
    unsigned host;
    unsigned mask;
};
/// The address of an interface of this machine; empty: it has none.
std::optional<Ipv4> address_of(const std::string& device)
{
    // Not by getifaddrs, which takes 4 kB of the thread's stack.
    const int kernel = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (kernel < 0) return std::nullopt;
    const auto ask = [&](unsigned long what) -> std::optional<unsigned> {
        ifreq asked{};
        device.copy(asked.ifr_name, sizeof asked.ifr_name - 1);
        if (ioctl(kernel, what, &asked) != 0) return std::nullopt;
        sockaddr_in address{};
        std::memcpy(&address, &asked.ifr_addr, sizeof address);
        return ntohl(address.sin_addr.s_addr);
    };
    const auto host = ask(SIOCGIFADDR), mask = ask(SIOCGIFNETMASK);
    close(kernel);
    return host && mask ? std::optional(Ipv4{*host, *mask}) : std::nullopt;
}

std::string names_of(const std::vector<NetworkDevice>& lanes)
{
    std::string names;
    for (const NetworkDevice& lane : lanes) names += (names.empty() ? "" : ", ") + lane.name;
    return names;
}

/// The lanes of a node of an emulated cluster, as it says; 0: this is none, or it says no number.
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
    return lanes_among(devices_of(folder), [&](const std::string& device) -> std::string {
        const std::optional<Ipv4> its = sending ? address_of(device) : std::nullopt;
        return its && sending->has(device, its->host) ? std::to_string(its->host & its->mask) : "";
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
