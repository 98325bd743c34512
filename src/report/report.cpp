// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "machine/node.hpp"
#include "report/fields.hpp"
#include "report/new_file.h"
#include "report/predefined.hpp"
#include "report/process.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

std::string numbers(const Report::Row& row)
{
    // The numbers are as wide as they can become, so that they are written over in place.
    std::array<char, 300> text{};
    std::snprintf(text.data(), text.size(),
                  R"("calls": %20lld, "bytes": %20lld, "waited_s": %20.9f, "seconds": %20.9f, )"
                  R"("elapsed_s": %20.9f, "first_s": %20.9f, "last_s": %20.9f})"
                  "\n",
                  static_cast<long long>(row.calls), static_cast<long long>(row.bytes),
                  row.times.waited, row.times.seconds, row.elapsed, row.first, row.last);
    return text.data();
}

/// Seconds since the first call of a collective that was counted. MPI's clock is the program's to look at.
double seconds_since_first()
{
    using Clock = std::chrono::steady_clock;
    static const Clock::time_point began = Clock::now();
    return std::chrono::duration<double>(Clock::now() - began).count();
}

}  // namespace

int size_class(std::int64_t bytes)
{
    return bytes < 0 ? -1 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)));
}

std::pair<std::int64_t, std::int64_t> bounds_of_size_class(int size)
{
    if (size <= 0) return {0, 0};
    const auto least = std::int64_t{1} << (size - 1);
    return {least, least + (least - 1)};
}

std::atomic<int> Report::reporting_{0};

/// The process is looked at before anything is locked or waited for. In the child of a fork, another thread may have
/// held a lock for ever.
Report* Report::own()
{
    const int reporting = reporting_;
    if (reporting != 0 && reporting != getpid()) return nullptr;
    static Report* const report = []() -> Report* {
        const char* wanted = secure_getenv("LANEWAY_REPORT");
        if (!wanted || !*wanted || std::string_view(wanted) == "0") return nullptr;
        reporting_ = getpid();
        std::atexit([] {
            if (Report* ending = own()) ending->end("exit");
        });
        return new Report(wanted);
    }();
    return report && (report->on_terminal_ || report->file_ >= 0) ? report : nullptr;
}

Report::Report(const std::string& wanted) : rank_(world_rank().value_or(-1))
{
    on_terminal_ = wanted == "1";
    if (!on_terminal_) open_file(wanted);
}

void Report::open_file(const std::string& folder)
{
    constexpr int names = 1000;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    const std::string name =
        "rank-" + std::to_string(rank_) + "." + host() + "." + std::to_string(reporting_);
    const char* why = nullptr;
    // An earlier job, or somebody else, may have had the same process number.
    for (int i = 1; i <= names; ++i) {
        const std::string another = i == 1 ? "" : "-" + std::to_string(i);
        file_ = laneway_new_file(folder.c_str(), (name + another + ".jsonl").c_str(), &why);
        if (file_ >= 0 || errno != EEXIST) break;
    }
    if (file_ < 0) {
        if (rank_ <= 0)
            std::fprintf(stderr,
                         "laneway: LANEWAY_REPORT: %s cannot be written to (%s): no report\n",
                         in_quotes(folder).c_str(), why);
        return;
    }
    append(process_row(rank_, reporting_));
}

void Report::append(const std::string& line)
{
    if (pwrite(file_, line.data(), line.size(), length_) == static_cast<ssize_t>(line.size())) {
        length_ += static_cast<std::int64_t>(line.size());
        return;
    }
    std::fprintf(stderr, "laneway: LANEWAY_REPORT: cannot write (%s): the report ends here\n",
                 std::strerror(errno));
    if (ftruncate(file_, length_) != 0) std::perror("laneway: LANEWAY_REPORT");
    close(file_.exchange(-1));
}

void Report::same_job_as(std::uint64_t process)
{
    const std::scoped_lock lock(mutex_);
    if (file_ < 0 || process == id_of_process() || !same_job_.insert(process).second) return;
    take_end_back();
    append(R"({"kind": "job", "with": ")" + std::to_string(process) + "\"}\n");
}

void Report::take_end_back()
{
    if (ended_at_ < 0) return;
    length_ = std::exchange(ended_at_, -1);
    if (ftruncate(file_, length_) != 0) std::perror("laneway: LANEWAY_REPORT");
}

Report::Row& Report::count(const ReportedComm& comm, const Decision& decision)
{
    const std::scoped_lock lock(mutex_);
    if (file_ >= 0) take_end_back();
    const Key key{comm.id, decision.collective, size_class(decision.bytes), decision.algorithm,
                  std::string(decision.why)};
    const auto [found, is_new] = rows_.try_emplace(key);
    Row& row = found->second;
    ++row.calls;
    row.last = seconds_since_first();
    if (is_new) row.first = row.last;
    row.bytes += std::max<std::int64_t>(0, decision.bytes);
    add_times(row, decision.times);
    if (file_ >= 0) {
        if (is_new)
            add_row(key, comm, decision, row);
        else
            write_numbers(row);
    }
    return row;
}

void Report::take_back(Row& row, std::int64_t bytes)
{
    const std::scoped_lock lock(mutex_);
    --row.calls;
    row.bytes -= std::max<std::int64_t>(0, bytes);
    if (file_ >= 0) write_numbers(row);
}

void Report::took(Row& row, double seconds)
{
    const std::scoped_lock lock(mutex_);
    row.elapsed += seconds;
}

void Report::add(Row& row, const Times& times)
{
    const std::scoped_lock lock(mutex_);
    add_times(row, times);
}

void Report::add_times(Row& row, const Times& times)
{
    row.times.waited += times.waited;
    row.times.seconds += times.seconds;
    row.elapsed += times.waited + times.seconds;
}

void Report::add_row(const Key& key, const ReportedComm& comm, const Decision& decision, Row& row)
{
    const int size = std::get<2>(key);
    std::string line = R"({"kind": "calls", )" + field("rank", rank_) +
                       field("communicator", comm.id) + field("name", comm.name) +
                       field("ranks", comm.ranks);
    if (comm.nodes > 0)
        line += field("nodes", comm.nodes) + field("ppn_least", comm.smallest) +
                field("ppn_most", comm.largest) + field("lanes", comm.lanes);
    if (!comm.binding.empty()) line += field("binding", comm.binding);
    if (!comm.cores.empty()) line += field("cores", comm.cores);
    line += field("collective", decision.collective);
    if (size >= 0)
        line += field("bytes_from", bounds_of_size_class(size).first) +
                field("bytes_to", bounds_of_size_class(size).second);
    line += field("algorithm", decision.algorithm) + field("why", decision.why);
    // Type and operator are those of the first call: to look at all calls would make each longer.
    if (const auto type = type_name(decision.type); !type.empty()) line += field("datatype", type);
    if (const auto op = op_name(decision.op); !op.empty()) line += field("op", op);
    const auto start = static_cast<std::int64_t>(line.size());
    line += numbers(row);
    row.numbers_at = length_ + start;
    append(line);
}

void Report::count_weights(const ReportedComm& comm, const std::string& weights, bool found)
{
    const std::scoped_lock lock(mutex_);
    if (file_ < 0) return;
    take_end_back();
    const auto [place, is_new] = weighed_.try_emplace({comm.id, weights});
    Weighed& row = place->second;
    ++row.calls;
    row.last = seconds_since_first();
    if (is_new) row.first = row.last;
    std::array<char, 120> text{};
    std::snprintf(text.data(), text.size(),
                  R"("calls": %20lld, "first_s": %20.9f, "last_s": %20.9f})"
                  "\n",
                  static_cast<long long>(row.calls), row.first, row.last);
    if (!is_new) return write_at(row.numbers_at, text.data());
    const std::string line = R"({"kind": "weights", )" + field("rank", rank_) +
                             field("communicator", comm.id) + field("name", comm.name) +
                             field("ranks", comm.ranks) + field("nodes", comm.nodes) +
                             field("weights", weights) + field("by", found ? "found" : "said");
    row.numbers_at = length_ + static_cast<std::int64_t>(line.size());
    append(line + text.data());
}

void Report::write_numbers(const Row& row) const
{
    if (row.numbers_at >= 0) write_at(row.numbers_at, numbers(row));
}

/// The bytes are there already, so that this does not fail for want of space.
void Report::write_at(std::int64_t place, const std::string& text) const
{
    if (pwrite(file_, text.data(), text.size(), place) < 0) std::perror("laneway");
}

void Report::print_table() const
{
    std::fprintf(stderr, "laneway: calls of rank %d\n%12s %-22s %12s  %-18s %s\n", rank_, "calls",
                 "collective", "bytes", "served by", "because");
    for (const auto& [key, row] : rows_) {
        const auto& [communicator, collective, size, algorithm, why] = key;
        if (row.calls == 0) continue;
        const std::string bytes =
            size < 0 ? "?" : std::to_string(bounds_of_size_class(size).first) + "+";
        std::fprintf(stderr, "%12lld %-22s %12s  %-18s %s\n", static_cast<long long>(row.calls),
                     collective, bytes.c_str(), algorithm.c_str(), why.c_str());
    }
}

void Report::end(const char* how)
{
    const std::scoped_lock lock(mutex_);
    if (file_ >= 0) {
        for (const auto& [key, row] : rows_) write_numbers(row);
        if (ended_at_ < 0) ended_at_ = length_;
        append(std::string(R"({"kind": "end", "how": ")") + how + "\"}\n");
    }
    if (on_terminal_ && rank_ <= 0 && !std::exchange(printed_, true)) print_table();
}

}  // namespace laneway
