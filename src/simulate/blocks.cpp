// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/blocks.hpp"

#include <memory>
#include <type_traits>

#include "blocks/counts_file.hpp"
#include "blocks/layouts.hpp"
#include "choose/rules.hpp"
#include "collectives/catalogue.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

/// The kind of a vector collective; false, false for another one.
struct Kind {
    bool is_vector, between_pairs;
};
Kind kind_of(const std::string& collective)
{
    Kind kind{};
    with_call(collective_named(collective), [&]<class Call>(std::type_identity<Call>) {
        kind = {is_vector<Call>, is_between_pairs<Call>};
    });
    return kind;
}

}  // namespace

void lay_out_blocks(Job& job, const std::string& name)
{
    job.blocks = block_layout(name);
    const Kind kind = kind_of(job.collective);
    if (job.blocks.shape != BlockLayout::Shape::equal && !kind.is_vector)
        throw Misunderstood("--layout: " + job.collective + " is no vector collective");
    job.blocks.must_fit(kind.between_pairs, job.collective);
    if (!job.blocks.is_file()) return;
    const CountsFile counts = read_counts_file(job.blocks.path);
    const int ranks = job.layout->ranks();
    require_shape(counts, ranks, kind.between_pairs ? ranks : 1, job.collective);
    job.count = counts.mean();
    job.blocks.counts = std::make_shared<const CountsFile>(counts);
}

}  // namespace laneway::simulate
