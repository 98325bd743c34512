// SPDX-License-Identifier: BSD-3-Clause
#include "machine/network.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

namespace laneway {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ethernet = "ethernet", roce = "roce";

/// The first line of one of the kernel's small files. Without a stream: a program may open its MPI library where its
/// stack is nearly full.
[[gnu::noinline]] std::string text_in(const fs::path& file)
{
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return {};
    std::string text(64, '\0');
    const ssize_t length = read(descriptor, text.data(), text.size());
    close(descriptor);
    text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
    return text.substr(0, text.find('\n'));
}

double number_in(const fs::path& file)
{
    return std::max(std::strtod(text_in(file).c_str(), nullptr), 0.0);
}

bool is_there(const fs::path& file)
{
    std::error_code failed;
    return fs::exists(file, failed);
}

/// The entries of a folder, by name.
[[gnu::noinline]] std::vector<fs::path> entries(const fs::path& folder)
{
    std::vector<fs::path> found;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed))
        found.push_back(entry->path());
    std::ranges::sort(found);
    return found;
}

bool is_whole(const fs::path& device) { return !is_there(device / "device" / "physfn"); }

/// The rate of a port that is up, as in `200 Gb/sec (4X HDR)`; else 0.
double rate_of_port(const fs::path& port)
{
    return text_in(port / "state").find("ACTIVE") == std::string::npos ? 0
                                                                       : number_in(port / "rate");
}

/// The rate of a network interface that is up; else 0.
double rate_of_interface(const fs::path& interface)
{
    return text_in(interface / "operstate") == "up" ? number_in(interface / "speed") / 1000 : 0;
}

[[gnu::noinline]] void add_ports(std::vector<NetworkDevice>& devices, const fs::path& folder)
{
    for (const fs::path& device : entries(folder))
        for (const fs::path& port : entries(device / "ports"))
            devices.push_back(
                {device.filename().string() + ":" + port.filename().string(),
                 text_in(port / "link_layer") == "Ethernet" ? std::string(roce) : "infiniband",
                 rate_of_port(port), is_whole(device)});
}

[[gnu::noinline]] void add_slingshot(std::vector<NetworkDevice>& devices, const fs::path& folder)
{
    for (const fs::path& device : entries(folder)) {
        double rate = 0;
        for (const fs::path& interface : entries(device / "device" / "net"))
            rate = std::max(rate, rate_of_interface(interface));
        devices.push_back({device.filename(), "slingshot", rate, is_whole(device)});
    }
}

/// Adds interfaces with hardware behind them: neither bridges nor tunnels nor virtual pairs.
[[gnu::noinline]] void add_ethernet(std::vector<NetworkDevice>& devices, const fs::path& folder)
{
    constexpr const char* of_ethernet = "1";
    for (const fs::path& interface : entries(folder))
        if (is_there(interface / "device") && text_in(interface / "type") == of_ethernet)
            devices.push_back({interface.filename(), std::string(ethernet),
                               rate_of_interface(interface),
                               is_whole(interface) && !is_there(interface / "master")});
}

/// The devices of the highest rate; of several networks those of the one with most.
std::vector<NetworkDevice> fastest(const std::vector<NetworkDevice>& devices)
{
    double highest = 0;
    for (const NetworkDevice& device : devices) highest = std::max(highest, device.rate);
    // RoCE, which only converges Ethernet, stands behind a fabric of its own.
    const bool has_fabric = std::ranges::any_of(devices, [&](const NetworkDevice& device) {
        return device.rate == highest && device.rate > 0 && device.network != roce;
    });
    std::map<std::string, std::vector<NetworkDevice>> by_network;
    for (const NetworkDevice& device : devices)
        if (device.rate > 0 && device.rate == highest && !(has_fabric && device.network == roce))
            by_network[device.network].push_back(device);
    const auto most = std::ranges::max_element(
        by_network, {}, [](const auto& network) { return network.second.size(); });
    return most == by_network.end() ? std::vector<NetworkDevice>() : most->second;
}

}  // namespace

std::vector<NetworkDevice> devices_of(const std::string& folder)
{
    std::vector<NetworkDevice> devices;
    add_ports(devices, fs::path(folder) / "infiniband");
    add_slingshot(devices, fs::path(folder) / "cxi");
    add_ethernet(devices, fs::path(folder) / "net");
    return devices;
}

std::vector<NetworkDevice> lanes_among(const std::vector<NetworkDevice>& devices,
                                       const Subnet& subnet)
{
    std::vector<NetworkDevice> of_fabric, of_ethernet;
    for (const NetworkDevice& device : devices) {
        if (!device.whole) continue;
        if (device.network != ethernet)
            of_fabric.push_back(device);
        else if (!subnet(device.name).empty())
            of_ethernet.push_back(device);
    }
    if (std::vector<NetworkDevice> lanes = fastest(of_fabric); !lanes.empty()) return lanes;
    std::vector<NetworkDevice> lanes = fastest(of_ethernet);
    std::set<std::string> seen;
    std::erase_if(lanes, [&](const NetworkDevice& device) {
        return !seen.insert(subnet(device.name)).second;
    });
    return lanes;
}

}  // namespace laneway
