// SPDX-License-Identifier: BSD-3-Clause
#include "choose/fabric.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

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

int lanes_of_fabric(const std::string& folder)
{
    double highest = 0;
    int lanes = 0;
    for_entries(folder, [&](const fs::path& device) {
        std::error_code failed;
        if (fs::exists(device / "device" / "physfn", failed)) return;  // a part of another device
        for_entries(device / "ports", [&](const fs::path& port) {
            const double rate = rate_of(port);
            if (rate > highest) {
                highest = rate;
                lanes = 0;
            }
            if (rate > 0 && rate == highest) ++lanes;
        });
    });
    return lanes;
}

int found_lanes()
{
    if (const char* const nodes = secure_getenv("LANEWAY_NODE_SIZE"); nodes && *nodes) return 0;
    static const int lanes = lanes_of_fabric("/sys/class/infiniband");
    return lanes;
}

}  // namespace laneway
