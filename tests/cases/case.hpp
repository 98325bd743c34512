// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace laneway::cases {

struct Case {
    std::string name;
    std::function<void()> run;
};

/// All cases, in no order.
std::vector<Case>& all_cases();

/// Adds a case to all_cases().
struct Register {
    Register(const char* name, std::function<void()> run);
};

/// Tells that something is not as expected, and where.
void fail(const char* file, int line, const std::string& what);

template <class Found, class Expected>
void equal(const Found& found, const Expected& expected, const char* file, int line,
           const char* what)
{
    if (found == expected) return;
    std::string told = what;
    if constexpr (requires { std::to_string(found) + std::to_string(expected); })
        told += " is " + std::to_string(found) + ", not " + std::to_string(expected);
    fail(file, line, told);
}

}  // namespace laneway::cases

#define EQUAL(found, expected) \
    laneway::cases::equal(found, expected, __FILE__, __LINE__, #found " == " #expected)
#define TRUE(condition) \
    if (!(condition)) laneway::cases::fail(__FILE__, __LINE__, #condition)
