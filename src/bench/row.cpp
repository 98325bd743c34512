// SPDX-License-Identifier: BSD-3-Clause
#include "bench/row.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "bench/options.hpp"

namespace laneway::bench {
namespace {

constexpr std::size_t kept_at_most = std::size_t{1} << 26U;  // bytes

std::string quoted(std::string_view text)
{
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            json += {'\\', c};
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
            json += escape.data();
        } else {
            json += c;
        }
    }
    return json + '"';
}

/// With three digits behind the point; infinity and the like are no numbers of JSON.
std::string decimal(double value)
{
    std::array<char, 64> text{};
    const auto [end, error] =
        std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, /*precision=*/3);
    const bool fits = error == std::errc{} && std::isfinite(value);
    return fits ? std::string(text.begin(), end) : "null";
}

std::string list(const std::vector<std::int64_t>& values)
{
    std::string json;
    for (const std::int64_t value : values)
        json += (json.empty() ? "" : ", ") + std::to_string(value);
    return "[" + json + "]";
}

}  // namespace

Row& Row::member(std::string_view key, std::string_view json)
{
    if (!members_.empty()) members_ += ", ";
    members_ += quoted(key) + ": ";
    members_ += json;
    return *this;
}

Row& Row::add(std::string_view key, std::string_view value) { return member(key, quoted(value)); }

Row& Row::add(std::string_view key, double value) { return member(key, decimal(value)); }

Row& Row::add(std::string_view key, const std::vector<double>& values)
{
    std::string json;
    for (const double value : values) json += (json.empty() ? "" : ", ") + decimal(value);
    return member(key, "[" + json + "]");
}

Row& Row::add(std::string_view key, const std::vector<std::int64_t>& values)
{
    return member(key, list(values));
}

Row& Row::add(std::string_view key, const std::vector<std::vector<std::int64_t>>& values)
{
    std::string json;
    for (const auto& each : values) json += (json.empty() ? "" : ", ") + list(each);
    return member(key, "[" + json + "]");
}

Row& Row::add(std::string_view key, const std::vector<std::string>& values)
{
    std::string json;
    for (const std::string& value : values) json += (json.empty() ? "" : ", ") + quoted(value);
    return member(key, "[" + json + "]");
}

Row& Row::add(std::string_view key, const std::map<std::string, std::string>& values)
{
    Row object;
    for (const auto& [name, value] : values) object.add(name, std::string_view(value));
    return member(key, object.json());
}

Row& Row::join(const Row& other)
{
    if (!members_.empty() && !other.members_.empty()) members_ += ", ";
    members_ += other.members_;
    return *this;
}

Sink::Sink(const std::string& path) : file_(path.empty() ? stdout : std::fopen(path.c_str(), "w"))
{
    if (!file_) throw UsageError("--out: cannot write " + path + ": " + std::strerror(errno));
}

void Sink::write(const Row& row)
{
    if (!file_) return;
    kept_ += row.json() + "\n";
    if (kept_.size() > kept_at_most) flush();
}

void Sink::flush()
{
    if (!file_) return;
    std::fwrite(kept_.data(), 1, kept_.size(), file_.get());
    std::fflush(file_.get());
    kept_.clear();
}

void Sink::hurry(const Row& row)
{
    if (!file_) return;
    std::fprintf(file_.get(), "%s\n", row.json().c_str());
    std::fflush(file_.get());
}

void Sink::Close::operator()(std::FILE* file) const
{
    if (file == stdout)
        std::fflush(file);
    else
        std::fclose(file);
}

}  // namespace laneway::bench
