// SPDX-License-Identifier: BSD-3-Clause
#include "flight/watcher.hpp"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "machine/variable.hpp"

namespace laneway::flight {

Place this_place()
{
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    Place place{host.data(), variable("LANEWAY_WATCH"), ""};
    for (const char* const name : {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_STEP_ID", "PMI_ID"})
        if (place.world.empty()) place.world = variable(name);
    return place;
}

/// The watcher is nobody's child: a program that waits for any of its own does not meet it. It gets a session of its
/// own, and its errors go beside the other files.
void start_watcher(const Place& place)
{
    std::string python = variable("LANEWAY_WATCHER");
    if (place.job.empty() || python.empty()) return;
    std::string folder = place.job + "/" + place.node;
    if (mkdir(folder.c_str(), S_IRWXU) != 0) return;  // another process was first, or sees no job
    // As helpers.module() has it: no file of the working directory is a module to it.
    std::string script =
        R"((exec </dev/null >/dev/null 2>"$1/errors"; exec "$0" -P -m laneway.watching.node "$1") &)";
    std::string shell = "sh", option = "-c";
    char* const words[] = {shell.data(),  option.data(), script.data(),
                           python.data(), folder.data(), nullptr};
    std::vector<char*> environment;
    for (char** one = environ; *one; ++one)
        if (!std::string_view(*one).starts_with("LD_PRELOAD=")) environment.push_back(*one);
    environment.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t child = 0;
    if (posix_spawn(&child, "/bin/sh", nullptr, &attributes, words, environment.data()) == 0)
        while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
    posix_spawnattr_destroy(&attributes);
}

}  // namespace laneway::flight
