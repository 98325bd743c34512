// SPDX-License-Identifier: BSD-3-Clause
#include "report/process.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "choose/settings.hpp"
#include "machine/node.hpp"
#include "machine/processors.hpp"
#include "report/fields.hpp"
#include "text/hash.hpp"

namespace laneway {
namespace {

/// The running kernel: processes of one kernel share its processors, whatever hosts they take themselves to be on.
std::string boot()
{
    std::string id;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
    return id;
}

/// Processors that this process may run on, as JSON.
std::string processors()
{
    std::string list;
    for (const int one : own_processors()) list += (list.empty() ? "" : ", ") + std::to_string(one);
    return "[" + list + "]";
}

/// Text that tells this process from others of its number: when it began, and whose numbers those are. The kernel
/// counts when a process began (since which boot, and field 22 of its status). The present time would not do: a
/// program that is linked with us and has the preload under it, too, has two of us.
std::string beginning_of_process()
{
    std::string status;
    std::error_code none;
    const auto numbers = std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
    std::getline(std::ifstream("/proc/self/stat"), status);
    std::istringstream fields(status.substr(status.rfind(')') + 1));
    std::string start;
    for (int field = 3; field <= 22; ++field) fields >> start;
    return boot() + " " + numbers + " " + start;
}

std::string library()
{
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    const std::string_view all(text.data());
    return std::string(all.substr(0, all.find_first_of("\n,")));
}

std::string program()
{
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/exe", failed).string();
}

}  // namespace

std::string host()
{
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

std::uint64_t id_of_process()
{
    static const std::uint64_t id =
        hash(host() + " " + std::to_string(getpid()) + " " + beginning_of_process());
    return id;
}

std::string process_row(int rank, int pid)
{
    return R"({"kind": "process", )" + field("format", 1) +
           field("id", std::to_string(id_of_process())) + field("rank", rank) +
           field("ranks", world_size()) + field("started", std::time(nullptr)) +
           field("host", host()) +
           field("node", std::to_string(node_of_this_process(Settings::own()->virtual_nodes()))) +
           field("boot", boot()) + "\"processors\": " + processors() + ", " + field("pid", pid) +
           field("program", program()) + field("library", library()) +
           "\"laneway\": " + in_json(LANEWAY_VERSION) + "}\n";
}

}  // namespace laneway
