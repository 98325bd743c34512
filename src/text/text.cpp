// SPDX-License-Identifier: BSD-3-Clause
#include "text/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace laneway {
namespace {

constexpr std::string_view blanks = " \t\r";

/// Length of the UTF-8 sequence that `text` begins with; 0: it begins with none. (Unicode 15,
/// Table 3-7.)
std::size_t sequence(std::string_view text)
{
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
        return byte(i) >= least && byte(i) <= most;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        const bool well =
            follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2);
        return well ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const bool well = follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) &&
                          follows(2) && follows(3);
        return well ? 4 : 0;
    }
    return 0;
}

/// Bytes of a unit; 0: it is none. A small b could mean bits.
std::int64_t factor(std::string_view unit)
{
    if (unit.empty() || unit == "B") return 1;
    const std::size_t letter = std::string_view("kmgKMG").find(unit[0]);
    const std::size_t power = letter == std::string_view::npos ? 0 : letter % 3 + 1;
    const std::string_view rest = unit.substr(1);
    std::int64_t each = 0;
    if (rest.empty() || rest == "iB" || rest == "IB") each = 1024;
    if (rest == "B") each = 1000;
    std::int64_t bytes = power > 0 && each > 0 ? 1 : 0;
    for (std::size_t i = 0; i < power; ++i) bytes *= each;
    return bytes;
}

/// The unit behind a number, of which one blank may separate it.
std::string_view unit_of(std::string_view text, const char* end)
{
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    if (unit.size() > 1 && unit[0] == ' ') unit.remove_prefix(1);
    return unit;
}

std::string what_bytes_are(std::string_view unit)
{
    return unit.ends_with('b') ? " of bytes: b could mean bits; 1M is 1048576 bytes, 1MB 1000000"
                               : " (of bytes: 512, 64K, 2M, 1G)";
}

}  // namespace

std::string in_quotes(std::string_view text)
{
    constexpr std::size_t longest = 80;
    std::string shown = "'";
    for (const char c : text.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
    return shown + (text.size() > longest ? "...'" : "'");
}

std::string in_json(std::string_view text)
{
    std::string result = "\"";
    while (!text.empty()) {
        const std::size_t length = sequence(text);
        const std::string_view letter = text.substr(0, length ? length : 1);
        const char c = letter[0];
        if (length == 0) {
            result += "\uFFFD";
        } else if (c == '"' || c == '\\') {
            result += {'\\', c};
        } else if (c >= 0 && c < ' ') {
            std::array<char, 8> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
            result += escaped.data();
        } else {
            result += letter;
        }
        text.remove_prefix(letter.size());
    }
    return result + '"';
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view next(std::string_view& rest, char separator)
{
    const auto end = rest.find(separator);
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    return part;
}

std::string_view next_outside(std::string_view& rest, char separator)
{
    const auto separates = [&](char c) {
        return separator == ' ' ? blanks.find(c) != blanks.npos : c == separator;
    };
    int depth = 0;
    std::size_t end = 0;
    for (; end < rest.size() && (depth > 0 || !separates(rest[end])); ++end) {
        if (rest[end] == '(') ++depth;
        if (rest[end] == ')') --depth;
    }
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (separator == ' ') rest = trimmed(rest);
    return part;
}

std::optional<std::size_t> first_not_text(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequence(text.substr(at));
        if (length == 0 || text[at] == '\0') return at;
        at += length;
    }
    return std::nullopt;
}

std::int64_t number(std::string_view text, std::int64_t least, std::int64_t most, bool bytes)
{
    std::int64_t value = -1;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = unit_of(text, end);
    const std::int64_t times = bytes || unit.empty() ? factor(unit) : 0;
    const bool is_number = failed != std::errc::invalid_argument && text[0] != '-' && times > 0;
    if (!is_number)
        throw Misunderstood(in_quotes(text) + " is no number" +
                            (bytes ? what_bytes_are(unit) : ""));
    if (failed != std::errc{} || value > most / times || value * times < least)
        throw Misunderstood(in_quotes(text) + " is not from " + std::to_string(least) + " to " +
                            std::to_string(most));
    return value * times;
}

double seconds(std::string_view text, double bare)
{
    const std::array<std::pair<std::string_view, double>, 7> units{
        {{"", bare}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
    double value = -1;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = unit_of(text, end);
    for (const auto& [name, each] : units)
        if (failed == std::errc{} && std::isfinite(value) && !text.starts_with('-') && unit == name)
            return value * each;
    throw Misunderstood(in_quotes(text) + " is no time: 0.5, 10us, 1ms, 30s, 20m or 2h");
}

std::optional<std::string> text_of_file(const std::string& path)
{
    // A folder can be opened, and only then cannot be read.
    if (std::error_code error; std::filesystem::is_directory(path, error)) return std::nullopt;
    std::ifstream file(path);
    if (!file) return std::nullopt;
    std::string text(std::istreambuf_iterator<char>(file), {});
    return file.bad() ? std::nullopt : std::optional(std::move(text));
}

void say(const std::string& message) { std::fputs(("laneway: " + message + "\n").c_str(), stderr); }

}  // namespace laneway
