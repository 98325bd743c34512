// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"

#include <type_traits>

#include "data/scratch.hpp"
#include "decomposition/perform.hpp"

namespace laneway {
namespace {

using plain::By;

template <class Call>
void serve_chosen(const Call& call, const Part& on)
{
    const auto plainly = [&](By by) { plain::serve(call, on, on.described(), by); };
    const Parts* const parts = on.parts();
    if (!parts) return plainly(By::length);
    const Facts facts = facts_of(call, on);
    const Choice* const choice = on.choice(collective_of<Call>, facts.bytes);
    if (!choice) return plainly(By::length);
    if (!choice->algorithm) return plainly(By::native);

    const Algorithm* const algorithm =
        registry::eligible(choice->algorithm, demanded(facts, choice->by_hand), parts->layout());
    if (!algorithm) return plainly(By::length);
    try {
        perform(*algorithm, call, Decomposition(*parts),
                algorithm == choice->algorithm ? choice->tunables : algorithm->presets);
    } catch (const NoTags&) {
        plainly(By::length);  // as all processes of this part find; nothing has begun
    }
}

/// A root's block in place is input, and stays. Data that algorithms bring to its place are not read.
void serve_scatter(Scatter call, const Part& on)
{
    const std::int64_t length = call.mine.count;
    const bool stays = on.parts() && on.rank() == call.root &&
                       call.mine.data == call.whole.slice(call.root * length, length).data;
    const Scratch unread(stays ? length : 0, call.mine.type);
    if (stays) call.mine = unread.buffer();
    serve_chosen(call, on);
}

/// Whether a component has no data, as the shares of a lane of weight 0 have none. All processes of the part find the
/// same. Neither the library nor an algorithm need serve it.
template <class Call>
bool is_empty(const Call& call, const Part& on)
{
    return !std::is_same_v<Call, Barrier> && !is_vector<Call> && bytes_of(call, on) == 0;
}

}  // namespace

void serve(const AnyCall& call, const Part& on)
{
    call.visit([&]<class Call>(const Call& its) {
        if (is_empty(its, on)) return;
        if constexpr (is_vector<Call>)
            plain::serve(its, on, on.described());
        else if constexpr (std::is_same_v<Call, Scatter>)
            serve_scatter(its, on);
        else
            serve_chosen(its, on);
    });
}

void serve_plainly(const AnyCall& call, const Part& on)
{
    call.visit([&](const auto& its) {
        if (!is_empty(its, on)) plain::serve(its, on, on.described());
    });
}

void serve_by_ours(const AnyCall& call, const Decomposition& on)
{
    call.visit([&](const auto& its) { plain::serve(its, on.world, on.described(), By::ours); });
}

}  // namespace laneway
