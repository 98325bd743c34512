// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "bench/job/team.hpp"
#include "bench/options/options.hpp"
#include "bench/tasks/plan.hpp"
#include "bench/text/sink.hpp"

namespace laneway::bench {

/// The rows of one case: what they have in common.
class CaseRows {
public:
    CaseRows(const Case& of, const Options& options, const Team& team, Sink& sink)
        : case_(of),
          options_(options),
          team_(team),
          sink_(sink)
    {
    }

    /// The beginning of a row of `kind` with all that tells cases apart.
    Row full(std::string_view kind, const Candidate& candidate) const;

    /// Writes a row of `kind` with a message about `algorithm`.
    void say(std::string_view kind, const std::string& algorithm, const std::string& message) const;

    /// Writes a row of kind "note" with a message about `algorithm`.
    void note(const std::string& algorithm, const std::string& message) const
    {
        say("note", algorithm, message);
    }

private:
    Row begin(std::string_view kind, const std::string& algorithm) const;
    Row axes() const;

    const Case& case_;
    const Options& options_;
    const Team& team_;
    Sink& sink_;
};

}  // namespace laneway::bench
