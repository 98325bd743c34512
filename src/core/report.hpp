// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

/// The report of what was decided: every call of a collective, counted by communicator, collective,
/// size and reason. docs/decisions.md describes its files.
namespace laneway {

/// What the report knows of one communicator.
struct Place {
    std::string id;    ///< the same on all its processes; see State
    std::string name;  ///< as the program calls it
    int ranks = 0;
    int nodes = 0;  ///< 0: not known
    int smallest = 0;
    int largest = 0;
    int lanes = 0;
};

/// One call of a collective, as it was decided.
struct Decision {
    const char* collective;
    std::int64_t bytes;     ///< -1: not known on all ranks
    const char* algorithm;  ///< "native", or a name of the registry
    std::string_view why;   ///< rule or variable, or the reason to stay native
    double waited = 0;      ///< seconds before the last process came (advising)
    double seconds = 0;     ///< seconds from then on (advising)
};

/// The calling process's own report. Safe in several threads.
///
/// With a folder (LANEWAY_REPORT=FOLDER) the numbers are written to its file at every call: nothing
/// is lost where a job is killed. LANEWAY_REPORT=1 prints a table of rank 0 at the end instead.
class Report {
public:
    /// Null: no report is wanted (LANEWAY_REPORT), or its file cannot be written. Never destroyed:
    /// a program may call MPI_Finalize from a destructor that runs after ours.
    static Report* own();

    void count(const Place& place, const Decision& decision);

    /// MPI comes to its end, or the process does: what remains to be said.
    void end(const char* how);

    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

private:
    explicit Report(const std::string& wanted);

    struct Row {
        std::int64_t calls = 0;
        std::int64_t bytes = 0;
        double waited = 0;
        double seconds = 0;
        std::int64_t numbers_at = -1;  ///< offset of the numbers in the file
    };
    /// Communicator, collective, size class, algorithm, why.
    using Key = std::tuple<std::string, const char*, int, std::string, std::string>;

    void open_file(const std::string& folder);
    void append(const std::string& line);
    void add_row(const Key& key, const Place& place, const Decision& decision, Row& row);
    void write_numbers(const Row& row) const;
    void print_table() const;

    std::mutex mutex_;
    std::map<Key, Row> rows_;
    int file_ = -1;
    std::int64_t length_ = 0;  ///< of the file
    bool on_terminal_ = false;
    bool printed_ = false;
    int process_;
    int rank_;
};

/// 0 for no bytes, else the k of 2^(k-1) <= bytes < 2^k; -1 for bytes that are not known.
int size_class(std::int64_t bytes);

}  // namespace laneway
