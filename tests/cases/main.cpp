// SPDX-License-Identifier: BSD-3-Clause
// A program of unit tests. Without an argument it lists its cases, with the name of one it runs that. It
// exits with code 1 where a case fails.
#include <cstdio>
#include <string_view>
#include <utility>

#include "case.hpp"

namespace laneway::cases {
namespace {
int failures = 0;
}

std::vector<Case>& all_cases()
{
    static std::vector<Case> all;
    return all;
}

Register::Register(const char* name, std::function<void()> run)
{
    all_cases().push_back({name, std::move(run)});
}

void fail(const char* file, int line, const std::string& what)
{
    std::printf("%s:%d: %s\n", file, line, what.c_str());
    ++failures;
}

}  // namespace laneway::cases

int main(int argc, char** argv)
{
    using namespace laneway::cases;
    if (argc == 1) {
        for (const Case& each : all_cases()) std::puts(each.name.c_str());
        return 0;
    }
    for (const Case& each : all_cases())
        if (each.name == argv[1]) {
            each.run();
            return failures > 0;
        }
    std::printf("no case %s\n", argv[1]);
    return 2;
}
