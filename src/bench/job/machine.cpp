// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/machine.hpp"

#include <laneway.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include "bench/job/nodes.hpp"
#include "bench/job/ranks.hpp"
#include "library/error.hpp"
#include "library/identity.hpp"

namespace laneway::bench {
namespace {

std::string library_version()
{
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    check(MPI_Get_library_version(text.data(), &length));
    std::string version(text.data(), static_cast<std::size_t>(length));
    while (!version.empty() && (version.back() == '\n' || version.back() == '\0'))
        version.pop_back();
    return version;
}

/// A short text of every rank, by rank; nothing on others than rank 0.
std::vector<std::string> gathered(MPI_Comm comm, int rank, int size, const std::string& own)
{
    using Text = std::array<char, 256>;
    Text text{};
    own.copy(text.data(), text.size() - 1);
    std::vector<Text> all(rank == 0 ? static_cast<std::size_t>(size) : 0);
    const int length = static_cast<int>(text.size());
    check(MPI_Gather(text.data(), length, MPI_CHAR, all.data(), length, MPI_CHAR, 0, comm));
    std::vector<std::string> texts;
    for (const Text& each : all) texts.emplace_back(each.data());
    return texts;
}

std::string host_name()
{
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    check(MPI_Get_processor_name(name.data(), &length));
    return name.data();
}

std::string processor()
{
    std::ifstream information("/proc/cpuinfo");
    for (std::string line; std::getline(information, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "processor";
}

/// The network devices with hardware behind them: devices of fabrics, or else of Ethernet.
std::string rails()
{
    namespace fs = std::filesystem;
    std::set<std::string> found;
    std::error_code none;
    for (const fs::directory_entry& each : fs::directory_iterator("/sys/class/infiniband", none))
        found.insert(each.path().filename());
    if (found.empty())
        for (const fs::directory_entry& each : fs::directory_iterator("/sys/class/net", none))
            if (fs::exists(each.path() / "device", none)) found.insert(each.path().filename());
    std::string names;
    for (const std::string& name : found) names += (names.empty() ? "" : " ") + name;
    return names.empty() ? "no network device" : names;
}

/// The memory of a node, in GiB, whose system shows `shown` of it. It is the next multiple of a sixteenth of the
/// power of two below, as sizes of memory are. So nodes that have reserved up to about 5% count as equal.
double installed(double shown)
{
    const double step = std::exp2(std::floor(std::log2(shown)) - 4);
    return std::ceil(shown / step) * step;
}

/// The hardware of this rank's node, in words: nodes of one kind say the same.
std::string hardware()
{
    const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<double>(sysconf(_SC_PAGE_SIZE)) / (1 << 30);
    return processor() + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " processors, " +
           std::to_string(std::lround(installed(memory))) + " GiB, " + rails();
}

/// The variables of the environment that decide what Laneway does.
std::map<std::string, std::string> settings()
{
    std::map<std::string, std::string> found;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const auto equals = text.find('=');
        if (text.starts_with("LANEWAY") && equals != std::string_view::npos)
            found.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return found;
}

/// Now, in universal time, as ISO 8601 writes it.
std::string date()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

}  // namespace

Machine inspect(MPI_Comm comm)
{
    Machine machine;
    machine.rank = rank_in(comm);
    machine.size = size_of(comm);
    machine.library_version = library_version();
    machine.library = library_name();
    machine.hosts = gathered(comm, machine.rank, machine.size, host_name());
    std::map<std::string, int> kinds;
    for (const std::string& kind : gathered(comm, machine.rank, machine.size, hardware()))
        ++kinds[kind];
    for (const auto& [kind, ranks] : kinds) machine.hardware[kind] = std::to_string(ranks);
    const std::vector<int> physical = physical_nodes(comm);
    machine.node_of = virtual_nodes(machine.size).value_or(physical);
    std::map<int, int> processes;
    for (const int node : machine.node_of) machine.ppn = std::max(machine.ppn, ++processes[node]);
    machine.nodes = static_cast<int>(processes.size());
    for (const auto& [node, own] : processes)
        machine.unequal += (machine.unequal.empty() ? "" : ",") + std::to_string(own);
    if (machine.size == machine.nodes * machine.ppn) machine.unequal.clear();
    return machine;
}

Row placement(const Machine& machine, const std::string& binding)
{
    Row row;
    row.add("nodes", machine.nodes).add("ppn", machine.ppn);
    row.add_if("unequal", !machine.unequal.empty(), machine.unequal);
    const int lanes = positive_setting("LANEWAY_LANES");
    row.add_if("lanes", lanes > 0, lanes);
    return row.add("library", machine.library).add("binding", binding);
}

Row environment(const Machine& machine, int threads, int run,
                const std::vector<std::string>& command)
{
    return Row("environment")
        .add("run", run)
        .add("date", date())
        .add("laneway", laneway_version())
        .add("library", machine.library)
        .add("library_version", machine.library_version)
        .add("ranks", machine.size)
        .add("nodes", machine.nodes)
        .add("ppn", machine.ppn)
        .add("threads", threads)
        .add("processors", static_cast<std::int64_t>(sysconf(_SC_NPROCESSORS_ONLN)))
        .add("hosts", machine.hosts)
        .add("hardware", machine.hardware)
        .add("settings", settings())
        .add("command", command);
}

}  // namespace laneway::bench
