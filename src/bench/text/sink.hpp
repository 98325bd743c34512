// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "bench/text/row.hpp"

namespace laneway::bench {

/// The place where rows go: a file or standard output on rank 0, nowhere on the others. Rows are kept until `flush`,
/// because writing may take long. A launcher passes standard output on when it is given a core, which ranks that wait
/// for messages don't leave to it.
class Sink {
public:
    Sink() = default;

    /// Opens `path`, standard output where it is empty; throws Misunderstood where that fails.
    explicit Sink(const std::string& path);

    /// Whether rows go anywhere: where they don't, they need not be made.
    bool writes() const { return file_ != nullptr; }

    void write(const Row& row);
    void flush();

    /// Writes a row at once, before the rows that are kept.
    void hurry(const Row& row);

private:
    struct Close {
        void operator()(std::FILE* file) const;
    };
    std::unique_ptr<std::FILE, Close> file_;
    std::string kept_;
};

}  // namespace laneway::bench
