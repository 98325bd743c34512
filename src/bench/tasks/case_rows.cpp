// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/case_rows.hpp"

#include <algorithm>
#include <cstdint>

#include "bench/job/machine.hpp"

namespace laneway::bench {

/// The beginning of every row about `algorithm`.
Row CaseRows::begin(std::string_view kind, const std::string& algorithm) const
{
    Row row(kind);
    row.add("run", options_.run);
    if (!options_.block.empty()) row.add("block", std::string_view(options_.block));
    row.add("collective", case_.operation.collective).add("algorithm", std::string_view(algorithm));
    if (case_.operation.is_vector()) {
        const BlockLayout& layout = options_.layout;
        row.add("layout", std::string_view(layout.name()));
        if (layout.is_file()) row.add("layout_digest", std::string_view(layout.counts->digest()));
    }
    row.add("count", std::max(case_.count, 0))
        .add("datatype", case_.type.name)
        .add("bytes",
             std::int64_t{std::max(case_.count, 0)} * static_cast<std::int64_t>(case_.type.size));
    return row;
}

Row CaseRows::full(std::string_view kind, const Candidate& candidate) const
{
    Row full = begin(kind, candidate.label);
    full.join(placement(team_.machine, options_.binding));
    full.join(axes());
    if (candidate.delay > 1) full.add("delay", candidate.delay);
    return full;
}

Row CaseRows::axes() const
{
    const Operation& operation = case_.operation;
    Row axes;
    axes.add("ranks", team_.machine.size);
    axes.add_if("op", operation.reduces, std::string_view(reduction_op(options_.op).name));
    if (operation.rooted && options_.root)
        axes.add("root", *options_.root);
    else
        axes.add_if("root", operation.rooted, "rotate");
    axes.add_if("in_place", operation.has_in_place, options_.in_place)
        .add("cold", options_.cold > 0)
        .add("threads", options_.threads)
        .add("inner_repetitions", std::max(1, options_.inner_repetitions))
        .add("sync", name(options_.sync))
        .add("arrival", name(options_.arrival.pattern))
        .add("arrival_us", options_.arrival.seconds * 1e6)
        .add_if("placement", !options_.placement.empty(), std::string_view(options_.placement));
    return axes;
}

void CaseRows::say(std::string_view kind, const std::string& algorithm,
                   const std::string& message) const
{
    sink_.write(begin(kind, algorithm).add("message", std::string_view(message)));
}

}  // namespace laneway::bench
