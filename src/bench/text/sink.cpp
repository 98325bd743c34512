// SPDX-License-Identifier: BSD-3-Clause
#include "bench/text/sink.hpp"

#include <cerrno>
#include <cstring>

#include "bench/text/words.hpp"

namespace laneway::bench {
namespace {

constexpr std::size_t kept_at_most = std::size_t{1} << 26U;  // bytes

}  // namespace

Sink::Sink(const std::string& path) : file_(path.empty() ? stdout : std::fopen(path.c_str(), "w"))
{
    if (!file_) throw Misunderstood("--out: cannot write " + path + ": " + std::strerror(errno));
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
