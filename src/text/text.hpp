// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

/// Reading and writing the small texts that settings, profiles and reports are made of.
namespace laneway {

/// The fault of a setting, in words for the user, one line.
struct Misunderstood : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// `text` in single quotes, as part of a message: shortened, bytes that a terminal cannot show as
/// question marks.
std::string in_quotes(std::string_view text);

/// `text` as a JSON string; each byte that is no UTF-8 as Unicode's character for such.
std::string in_json(std::string_view text);

/// `text` without blanks at both ends.
std::string_view trimmed(std::string_view text);

/// The part of `rest` up to `separator`, which is taken off it.
std::string_view next(std::string_view& rest, char separator);

/// As next(), but a separator inside of parentheses is part of the text; ' ' stands for any row of
/// blanks.
std::string_view next_outside(std::string_view& rest, char separator);

/// The offset of the first byte that is no UTF-8 (or is a null byte); empty: there is none.
std::optional<std::size_t> first_not_text(std::string_view text);

/// A number of decimal digits from `least` to `most`. Numbers of `bytes` may have a unit: K, M
/// or G (or KiB ...) for powers of 1024, kB, MB or GB for those of 1000.
/// Throws Misunderstood.
std::int64_t number(std::string_view text, std::int64_t least, std::int64_t most,
                    bool bytes = false);

/// A time in seconds: 0.5, or with a unit: 10us, 1ms, 30s, 20m, 2h. A number without a unit counts
/// units of `bare` seconds. Throws Misunderstood.
double seconds(std::string_view text, double bare = 1);

/// The text of a file; none where it cannot be read.
std::optional<std::string> text_of_file(const std::string& path);

/// Writes a line on standard error that begins with "laneway: ". Not by printf, which on a stream without a
/// buffer takes 8 kB of the thread's stack.
void say(const std::string& message);

/// Something that a process says once, whichever of its threads comes first.
class Remark {
public:
    /// `message()` is a line, and asked for the first time alone.
    template <class Message>
    void say(const Message& message)
    {
        if (begins()) laneway::say(message());
    }
    /// True the first time: several lines are said then, or another process says it.
    bool begins() { return !said_.test_and_set(); }

private:
    std::atomic_flag said_ = ATOMIC_FLAG_INIT;
};

}  // namespace laneway
