// SPDX-License-Identifier: BSD-3-Clause
#include "choose/fabric.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <tuple>

namespace laneway {
namespace {

namespace fs = std::filesystem;

/// Gigabits a second of a port that is up, as in `200 Gb/sec (4X HDR)`; 0: it is down, or does not say.
double rate_of(const fs::path& port)
{
    std::string state;
    std::getline(std::ifstream(port / "state"), state);
    if (state.find("ACTIVE") == state.npos) return 0;
    double rate = 0;
    std::ifstream(port / "rate") >> rate;
    return rate;
}

template <class Body>
void for_entries(const fs::path& folder, const Body& body)
{
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed))
        body(entry->path());
}

}  // namespace

std::vector<Port> ports_of_fabric(const std::string& folder)
{
    std::vector<Port> ports;
    double highest = 0;
    for_entries(folder, [&](const fs::path& device) {
        std::error_code failed;
        const bool whole = !fs::exists(device / "device" / "physfn", failed);
        for_entries(device / "ports", [&](const fs::path& port) {
            const double rate = rate_of(port);
            if (whole) highest = std::max(highest, rate);
            ports.push_back({device.filename(), port.filename(), rate, whole && rate > 0});
        });
    });
    for (Port& port : ports) port.lane = port.lane && port.rate == highest;
    std::ranges::sort(ports, {},
                      [](const Port& port) { return std::tie(port.device, port.number); });
    return ports;
}

int lanes_of_fabric(const std::string& folder)
{
    return static_cast<int>(std::ranges::count_if(ports_of_fabric(folder), &Port::lane));
}

int found_lanes()
{
    if (const char* const nodes = secure_getenv("LANEWAY_NODE_SIZE"); nodes && *nodes) return 0;
    static const int lanes = lanes_of_fabric("/sys/class/infiniband");
    return lanes;
}

}  // namespace laneway
