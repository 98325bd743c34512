// SPDX-License-Identifier: BSD-3-Clause
// laneway-switch-check: the parts of laneway-switch that need no clock and no sockets. Without an
// argument it lists its cases, with the name of one it runs that; exit code 1 where it fails.
#include <cstdio>
#include <string_view>
#include <utility>

#include "case.hpp"

namespace laneway::lanes {
namespace {
int failures = 0;
}

std::vector<Case>& cases()
{
    static std::vector<Case> all;
    return all;
}

Register::Register(const char* name, std::function<void()> run)
{
    cases().push_back({name, std::move(run)});
}

void fail(const char* file, int line, const std::string& what)
{
    std::printf("%s:%d: %s\n", file, line, what.c_str());
    ++failures;
}

}  // namespace laneway::lanes

int main(int argc, char** argv)
{
    using namespace laneway::lanes;
    if (argc == 1) {
        for (const Case& each : cases()) std::puts(each.name.c_str());
        return 0;
    }
    for (const Case& each : cases())
        if (each.name == argv[1]) {
            each.run();
            return failures > 0;
        }
    std::printf("no case %s\n", argv[1]);
    return 2;
}
