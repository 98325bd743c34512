// SPDX-License-Identifier: BSD-3-Clause
#include "choose/where.hpp"

#include <climits>
#include <cmath>
#include <string>

#include "text/text.hpp"

namespace laneway {
namespace {

/// Reads `2..8`, `2..`, `..8` or `4`.
Range range_of(std::string_view text, std::int64_t least, std::int64_t most, bool binary)
{
    Range range{least, most};
    const auto dots = text.find("..");
    if (dots == text.npos) {
        range.least = range.most = number(text, least, most, binary);
        return range;
    }
    const std::string_view from = text.substr(0, dots), to = text.substr(dots + 2);
    if (from.empty() && to.empty())
        throw Misunderstood(in_quotes(text) + " is no range; write 4, 2..8, 2.. or ..8");
    if (!from.empty()) range.least = number(from, least, most, binary);
    if (!to.empty()) range.most = number(to, least, most, binary);
    if (range.least > range.most) throw Misunderstood(in_quotes(text) + " is an empty range");
    return range;
}

bool layout_of(std::string_view text)
{
    if (text == "regular") return true;
    if (text == "irregular") return false;
    throw Misunderstood(in_quotes(text) + " is neither 'regular' nor 'irregular'");
}

Binding binding_in(std::string_view text)
{
    const std::optional<Binding> known = binding_named(text);
    if (!known) throw Misunderstood(in_quotes(text) + " is none of 'lane', 'all' and 'one'");
    return *known;
}

Cores cores_in(std::string_view text)
{
    const std::optional<Cores> known = cores_named(text);
    if (!known) throw Misunderstood(in_quotes(text) + " is neither 'each' nor 'shared'");
    return *known;
}

}  // namespace

void once(std::vector<std::string_view>& seen, const char* kind, std::string_view name)
{
    if (std::ranges::find(seen, name) != seen.end())
        throw Misunderstood(std::string("the ") + kind + " " + in_quotes(name) + " stands twice");
    seen.push_back(name);
}

bool set_condition(std::string_view name, std::string_view value, Where& where)
{
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
    if (name == "nodes")
        where.nodes = range_of(value, 1, INT_MAX, false);
    else if (name == "ppn")
        where.ppn = range_of(value, 1, INT_MAX, false);
    else if (name == "lanes")
        where.lanes = range_of(value, 1, INT_MAX, false);
    else if (name == "ranks")
        where.ranks = range_of(value, 1, INT_MAX, false);
    else if (name == "layout")
        where.regular = layout_of(value);
    else if (name == "binding")
        where.binding = binding_in(value);
    else if (name == "cores")
        where.cores = cores_in(value);
    else if (name == "bytes")
        where.bytes = range_of(value, 0, any, true);
    else
        return false;
    return true;
}

bool Where::fits(const Shape& shape) const
{
    return ranks.contains(shape.ranks) && nodes.contains(shape.nodes) &&
           ppn.contains(shape.smallest) && ppn.contains(shape.largest) &&
           lanes.contains(shape.lanes) && (!regular || *regular == shape.regular()) &&
           (!binding || *binding == shape.binding) && (!cores || *cores == shape.cores);
}

bool Where::covers(const Where& other) const
{
    return ranks.covers(other.ranks) && nodes.covers(other.nodes) && ppn.covers(other.ppn) &&
           lanes.covers(other.lanes) && bytes.covers(other.bytes) &&
           (!regular || regular == other.regular) && (!binding || binding == other.binding) &&
           (!cores || cores == other.cores);
}

std::optional<Where> Where::overlap(const Where& other) const
{
    if (regular && other.regular && regular != other.regular) return std::nullopt;
    if (binding && other.binding && binding != other.binding) return std::nullopt;
    if (cores && other.cores && cores != other.cores) return std::nullopt;
    const Where both{.ranks = ranks.overlap(other.ranks),
                     .nodes = nodes.overlap(other.nodes),
                     .ppn = ppn.overlap(other.ppn),
                     .lanes = lanes.overlap(other.lanes),
                     .regular = regular ? regular : other.regular,
                     .binding = binding ? binding : other.binding,
                     .cores = cores ? cores : other.cores,
                     .bytes = bytes.overlap(other.bytes)};
    for (const Range& range : {both.ranks, both.nodes, both.ppn, both.lanes, both.bytes})
        if (range.least > range.most) return std::nullopt;
    return both;
}

std::optional<Shape> Where::nearest(const Shape& shape) const
{
    if (fits(shape)) return shape;
    if (shape.nodes == 1 || shape.smallest == 1) return std::nullopt;
    if (binding && *binding != shape.binding) return std::nullopt;
    if (cores && *cores != shape.cores) return std::nullopt;
    const auto within = [](const Range& range, int number) {
        return static_cast<int>(std::clamp<std::int64_t>(number, range.least, range.most));
    };
    const Shape found{.ranks = within(ranks, shape.ranks),
                      .nodes = within(nodes, shape.nodes),
                      .smallest = within(ppn, shape.smallest),
                      .largest = within(ppn, shape.largest),
                      .lanes = within(lanes, shape.lanes),
                      .binding = shape.binding,
                      .cores = shape.cores};
    if (found.nodes == 1 || found.smallest == 1) return std::nullopt;
    return found;
}

bool among(const Shapes& shapes, const Shape& shape)
{
    return std::ranges::any_of(shapes, [&](const Where& own) { return own.fits(shape); });
}

Shape nearest(const Shapes& shapes, const Shape& shape)
{
    const auto factor = [](int one, int other) {
        return std::abs(std::log(static_cast<double>(one) / other));
    };
    Shape found = shape;
    double least = std::numeric_limits<double>::infinity();
    for (const Where& own : shapes) {
        const std::optional<Shape> other = own.nearest(shape);
        if (!other) continue;
        const double distance =
            factor(other->nodes, shape.nodes) + factor(other->smallest, shape.smallest) +
            factor(other->largest, shape.largest) + factor(other->lanes, shape.lanes);
        if (distance < least || (distance == least && other->nodes > found.nodes)) {
            least = distance;
            found = *other;
        }
    }
    return found;
}

}  // namespace laneway
