// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace laneway::bench {

/// One JSON object, written key by key. A copy of a row begun goes on from there: what the rows of
/// a case have in common is written once.
class Row {
public:
    Row() = default;
    explicit Row(std::string_view kind) { add("kind", kind); }

    Row& add(std::string_view key, std::string_view value);
    Row& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
    Row& add(std::string_view key, bool value) { return member(key, value ? "true" : "false"); }
    Row& add(std::string_view key, int value) { return add(key, std::int64_t{value}); }
    Row& add(std::string_view key, std::int64_t value)
    {
        return member(key, std::to_string(value));
    }
    Row& add(std::string_view key, double value);
    Row& add(std::string_view key, const std::vector<std::string>& values);
    Row& add(std::string_view key, const std::vector<std::int64_t>& values);
    Row& add(std::string_view key, const std::vector<std::vector<std::int64_t>>& values);
    Row& add(std::string_view key, const std::vector<double>& values);
    Row& add(std::string_view key, const std::map<std::string, std::string>& values);
    Row& add_null(std::string_view key) { return member(key, "null"); }

    /// The value where it applies, null where it does not.
    template <class Value>
    Row& add_if(std::string_view key, bool applies, const Value& value)
    {
        return applies ? add(key, value) : add_null(key);
    }

    /// The members of `other`, behind those of this row.
    Row& join(const Row& other);

    std::string json() const { return "{" + members_ + "}"; }

private:
    Row& member(std::string_view key, std::string_view json);

    std::string members_;
};

/// Where rows go: a file or standard output on rank 0, nowhere on the others. They are kept until
/// `flush`, because writing may take long: a launcher passes standard output on when it is given a
/// core, which ranks that wait for messages don't leave to it.
class Sink {
public:
    Sink() = default;

    /// Opens `path`, standard output where it is empty; throws UsageError where that fails.
    explicit Sink(const std::string& path);

    void write(const Row& row);
    void flush();

    /// Writes a row at once, before those that are kept.
    void hurry(const Row& row);

private:
    struct Close {
        void operator()(std::FILE* file) const;
    };
    std::unique_ptr<std::FILE, Close> file_;
    std::string kept_;
};

}  // namespace laneway::bench
