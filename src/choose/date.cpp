// SPDX-License-Identifier: BSD-3-Clause
#include "choose/date.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>

#include "text/text.hpp"

namespace laneway {

std::string date_of(std::string_view word, std::string_view text)
{
    constexpr std::string_view form = "0000-00-00";
    const bool fits = std::ranges::equal(text, form, [](char c, char like) {
        return like == '-' ? c == '-' : c >= '0' && c <= '9';
    });
    const auto part = [&](std::size_t at, std::size_t digits) {
        return static_cast<int>(number(text.substr(at, digits), 0, 9999));
    };
    const auto is_day = [&] {
        return std::chrono::year_month_day{std::chrono::year(part(0, 4)),
                                           std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                           std::chrono::day(static_cast<unsigned>(part(8, 2)))}
            .ok();
    };
    if (!fits || !is_day())
        throw Misunderstood(std::string(word) + ": " + in_quotes(text) +
                            " is no date such as 2026-11-25");
    return std::string(text);
}

std::string today()
{
    constexpr std::size_t length = sizeof "2026-11-25";
    std::array<char, length> text{};
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d", gmtime_r(&now, &parts));
    return text.data();
}

}  // namespace laneway
