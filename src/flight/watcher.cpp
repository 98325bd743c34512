// SPDX-License-Identifier: BSD-3-Clause
#include "flight/watcher.hpp"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/variable.hpp"

namespace laneway::flight {
namespace {

using Words = std::vector<std::string>;

/// A process's command line and its parent; no words where it cannot be read.
std::pair<Words, pid_t> described(pid_t process)
{
    const std::string folder = "/proc/" + std::to_string(process);
    std::ifstream command(folder + "/cmdline"), status(folder + "/stat");
    Words words;
    for (std::string word; std::getline(command, word, '\0');) words.push_back(word);
    std::string text;
    std::getline(status, text);
    pid_t parent = 0;
    // Behind the program's name, which may have any letters in it: state and parent.
    if (const auto at = text.rfind(')'); at != text.npos && at + 4 < text.size())
        parent = static_cast<pid_t>(std::strtol(text.c_str() + at + 4, nullptr, 10));
    return {std::move(words), parent};
}

/// MPICH's launcher tells ranks nothing that is the job's own. But it has a process on each node. That one is told where
/// the launcher listens, and which of the job's worlds its ranks are of.
std::string name_by_hydra()
{
    constexpr int most = 64;  // shells between it and the program
    pid_t process = getppid();
    for (int i = 0; i < most && process > 1; ++i) {
        const auto [words, parent] = described(process);
        const auto value = [&words = words](std::string_view option) {
            const auto found = std::ranges::find(words, option);
            return found == words.end() || found + 1 == words.end() ? "" : found[1];
        };
        if (const std::string port = value("--control-port"); !port.empty())
            return port + " " + value("--pgid");
        process = parent;
    }
    return "";
}

/// The name of the job, which its processes have in common, and no other job has; empty: none is known.
std::string name_of_job()
{
    for (const char* const name : {"PMIX_NAMESPACE", "PMI_JOBID"})
        if (std::string world = variable(name); !world.empty()) return world;
    if (std::string world = name_by_hydra(); !world.empty()) return world;
    const std::string job = variable("SLURM_JOB_ID"), step = variable("SLURM_STEP_ID");
    return step.empty() ? "" : job + "." + step;
}

}  // namespace

Place this_place()
{
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    Place place{host.data(), variable("LANEWAY_WATCH"), ""};
    place.world = name_of_job();
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
