// SPDX-License-Identifier: BSD-3-Clause
#include "choose/header.hpp"

#include <algorithm>
#include <climits>

#include "choose/date.hpp"
#include "choose/rules.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

/// Whether `name` begins `whole`, as `Open MPI 4.1` begins `Open MPI 4.1.4`, but not `Open MPI 4.10`.
bool begins(std::string_view name, std::string_view whole)
{
    if (!whole.starts_with(name)) return false;
    const std::string_view rest = whole.substr(name.size());
    return rest.empty() || rest.front() == '.' || rest.front() == ' ';
}

/// The family of a library: `Open MPI` of `Open MPI 4.1.4`.
std::string_view family(std::string_view library)
{
    return trimmed(library.substr(0, library.find_first_of("0123456789")));
}

/// Whether `library` names a version, as `Open MPI 4.1.4` does. `Open MPI 4` is meant for a line of versions, and for
/// no other.
bool names_version(std::string_view library) { return library.find('.') != library.npos; }

/// Reads a shape such as `nodes=2..4 ppn=4 lanes=2`.
Where shape_of(std::string_view text)
{
    Where where;
    std::vector<std::string_view> seen;
    for (std::string_view word = next_outside(text, ' '); !word.empty();
         word = next_outside(text, ' ')) {
        std::string_view value = word;
        const std::string_view name = next(value, '=');
        once(seen, "condition", name);
        if (name == "bytes" || name == "layout" || !set_condition(name, value, where))
            throw Misunderstood("shape: " + in_quotes(name) +
                                " is none of ranks, nodes, ppn, lanes");
    }
    return where;
}

void check_place(std::string_view word)
{
    if (word != "emulated" && word != "virtual")
        throw Misunderstood("place: " + in_quotes(word) + " is neither 'emulated' nor 'virtual'");
}

bool used_elsewhere(std::string_view word)
{
    if (word == "use") return true;
    if (word == "ignore") return false;
    throw Misunderstood("elsewhere: " + in_quotes(word) + " is neither 'use' nor 'ignore'");
}

void check_quirks(std::string_view family)
{
    if (family != "MPICH" && family != "Open MPI")
        throw Misunderstood("quirks are those of MPICH or Open MPI, not of " + in_quotes(family));
}

/// Checks a margin such as `1.25`.
void check_margin(std::string_view text)
{
    std::string_view decimals = text;
    const std::string_view whole = next(decimals, '.');
    try {
        number(whole, 1, INT_MAX);
        for (const char digit : decimals) number({&digit, 1}, 0, 9);
    } catch (const Misunderstood&) {
        throw Misunderstood("margin: " + in_quotes(text) + " is no number from 1 on, such as 1.25");
    }
}

/// Checks a list of collectives such as `bcast allreduce`.
void check_simulated(std::string_view names)
{
    std::vector<std::string_view> seen;
    for (std::string_view name = next_outside(names, ' '); !name.empty();
         name = next_outside(names, ' ')) {
        collective_named(name);
        once(seen, "collective", name);
    }
}

/// A statement of headers, and what may follow it.
struct Kind {
    std::string_view word;
    std::string_view example;
    bool decides = false;  ///< which rules hold; else it is for readers of the file
};

constexpr Kind kinds[] = {
    {"library", "Open MPI 4.1.4", true},
    {"shape", "nodes=2..4 ppn=4", true},
    {"place", "emulated", true},
    {"elsewhere", "use", true},
    {"tuned", "2026-11-25"},
    {"measured", "2026-11-25"},
    {"predicted", "2026-11-25", true},
    {"machine", "hydra.toml"},
    {"native", "openmpi-4.1"},
    {"margin", "1.25"},
    {"simulated", "bcast allreduce"},
    {"quirks", "MPICH"},
    {"stand-in", "MPICH 3.3's rules"},
};

}  // namespace

bool is_for_readers(std::string_view statement)
{
    const std::string_view word = next_outside(statement, ' ');
    if (word == "undecided") return true;
    const auto* const kind = std::ranges::find(kinds, word, &Kind::word);
    return kind != std::end(kinds) && !kind->decides;
}

bool Headers::read(std::string_view statement, std::string_view file)
{
    std::string_view rest = statement;
    const std::string_view first = next_outside(rest, ' ');
    const std::string_view word = first.starts_with("lanes=") ? "lanes" : first;
    rest = trimmed(rest);
    Header& header = headers_[std::string(file)];
    const auto has = [&](std::string_view other) {
        return std::ranges::count(header.said, other) > 0;
    };
    const auto say_once = [&] {
        if (has(word)) throw Misunderstood(in_quotes(word) + " stands twice");
        header.said.emplace_back(word);
    };
    if (word == "lanes") {
        say_once();
        return false;
    }
    const auto* const kind = std::ranges::find(kinds, word, &Kind::word);
    if (kind == std::end(kinds)) {
        header.complete = true;
        return false;
    }
    if (header.complete) throw Misunderstood(in_quotes(word) + " stands before the rules");
    if (rest.empty())
        throw Misunderstood(std::string(word) + ": nothing follows; write: " + std::string(word) +
                            " " + std::string(kind->example));
    // The meaning of lanes depends on it.
    if (word == "predicted" && has("lanes"))
        throw Misunderstood("'predicted' stands before 'lanes'");
    if (word == "shape")
        header.shapes->push_back(shape_of(rest));
    else
        say_once();
    if (word == "library")
        header.library = rest;
    else if (word == "place")
        check_place(rest);  // in another place, nobody comes here (choose/environment.cpp)
    else if (word == "predicted")
        header.predicted = date_of(word, rest);
    else if (word == "elsewhere")
        header.used_elsewhere = used_elsewhere(rest);
    else if (word == "quirks")
        check_quirks(header.quirks = rest);
    else if (word == "tuned" || word == "measured")
        date_of(word, rest);
    else if (word == "margin")
        check_margin(rest);
    else if (word == "simulated")
        check_simulated(rest);
    return true;
}

const Headers::Header* Headers::of(std::string_view file) const
{
    const auto found = headers_.find(file);
    return found == headers_.end() ? nullptr : &found->second;
}

bool Headers::fits(const Header& header) const
{
    return header.library.empty() || library_.empty() || begins(header.library, library_);
}

std::string_view Headers::predicted(std::string_view file) const
{
    const Header* const header = of(file);
    return header ? std::string_view(header->predicted) : std::string_view();
}

std::string_view Headers::quirks(std::string_view file) const
{
    const Header* const header = of(file);
    return header ? std::string_view(header->quirks) : std::string_view();
}

bool Headers::holds(std::string_view file) const
{
    const Header* const header = of(file);
    return !header || header->used_elsewhere || fits(*header);
}

std::shared_ptr<const Shapes> Headers::tuned_shapes(std::string_view file) const
{
    const Header* const header = of(file);
    if (!header || !header->used_elsewhere || header->shapes->empty()) return nullptr;
    return header->shapes;
}

std::vector<std::string> Headers::remarks() const
{
    const std::string_view used = family(library_);
    const auto is_ours = [&](const Header& header) {
        return names_version(header.library) && family(header.library) == used;
    };
    bool tuned = false, predicted = false;
    for (const auto& [file, header] : headers_)
        if (is_ours(header) && fits(header)) (header.predicted.empty() ? tuned : predicted) = true;
    if (tuned) return {};
    std::vector<std::string> remarks;
    for (const auto& [file, header] : headers_)
        // A prediction is no answer to what somebody has measured.
        if (is_ours(header) && !fits(header) && (!predicted || header.predicted.empty()))
            remarks.push_back(
                file + (header.predicted.empty() ? " was tuned for " : " was predicted for ") +
                header.library + ", and this is " + library_ + ": its rules " +
                (header.used_elsewhere      ? "are used all the same (elsewhere use)"
                 : header.predicted.empty() ? "are left out; `laneway tune` makes a new one"
                                            : "are left out; `laneway calibrate` makes a new one"));
    return remarks;
}

}  // namespace laneway
