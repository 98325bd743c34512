// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace laneway::property {
namespace {

std::string more_options;
std::string last_words;  ///< made beforehand: a signal handler may do next to nothing

void say_last_words(int signal, siginfo_t* about, void*)
{
    if (signal == SIGSEGV && let_through(about->si_addr)) return;
    const char* what = signal == SIGALRM ? "HANGS: " : "CRASHES: ";
    auto ignored = write(STDOUT_FILENO, what, std::strlen(what));
    ignored = write(STDOUT_FILENO, last_words.data(), last_words.size());
    static_cast<void>(ignored);
    _exit(EXIT_FAILURE);
}

}  // namespace

void reproduce_with(const std::string& options) { more_options += options; }

std::string reproduction(const Case& the_case)
{
    std::string line;
    for (const char* variable : {"LANEWAY_ALGORITHM", "LANEWAY_LANES"})
        if (const char* value = std::getenv(variable))
            line += std::string(variable) + "=" + value + " ";
    return line + "mpirun -np " + std::to_string(the_case.shape->node_of.size()) +
           " laneway-check" + more_options + " --case " + the_case.id();
}

void report(const char* what, const Case& the_case, const std::string& why)
{
    std::printf("%s: %s  # %s\n", what, reproduction(the_case).c_str(), why.c_str());
    std::fflush(stdout);
}

void watch(const Case& the_case, unsigned seconds)
{
    alarm(0);
    last_words = reproduction(the_case) + "\n";
    struct sigaction action = {};
    action.sa_sigaction = say_last_words;
    action.sa_flags = SA_SIGINFO;
    for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT})
        sigaction(signal, &action, nullptr);
    alarm(seconds);
}

}  // namespace laneway::property
