// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "carriers/simulated/machine.hpp"

namespace laneway {

/// Messages on their way as flows, which share links max-min fair at any time: nobody's rate can grow but at
/// the expense of somebody who has no more. Found by progressive filling (Bertsekas and Gallager, "Data
/// Networks", Section 6.5.2): the link with the least for each of its flows gives them that, and so on.
///
/// A flow by itself has rate 1, and work in picoseconds at that rate. So a link of as many flows as it has
/// capacity holds nobody back, and rates are found anew only for flows that a change reaches over links that do:
/// in O(h log l) for their h passages of l such links. What begins and ends at one time is one change.
class Flows {
public:
    /// By link: how many flows of rate 1 it carries.
    explicit Flows(const std::vector<double>& capacities);

    /// It has no rate before share(). Its number is free again after end().
    std::uint32_t begin(Time now, double work, std::span<const std::uint32_t> links);
    void end(std::uint32_t flow);

    /// Finds rates anew after changes. `tell` is told of each flow that ends at another time than it did.
    void share(Time now, const std::function<void(std::uint32_t flow, Time due)>& tell);

    bool is_due(std::uint32_t flow, Time now) const { return flows_[flow].due == now; }
    double rate(std::uint32_t flow) const { return flows_[flow].rate; }
    /// For how long links below number `before` held it back, until now.
    Time held(std::uint32_t flow, Time now) const;
    /// Links from this number on are not asked for by held().
    void set_watched(std::uint32_t before) { watched_ = before; }

private:
    static constexpr Time never = ~Time{0};
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Flow {
        double left = 0;  ///< work, at `since`
        double rate = 0;
        Time since = 0, due = never;
        Time held = 0;           ///< until `since`
        bool is_held = false;    ///< since then
        std::uint32_t seen = 0;  ///< in which change
        bool open = false;       ///< in a change: it has no rate yet
        bool under_way = false;
        std::vector<std::uint32_t> links;
    };
    struct Link {
        double capacity;
        double room = 0;         ///< in a change: what is left
        std::uint32_t open = 0;  ///< in a change: for so many
        std::uint32_t seen = 0;
        bool loosened = false;  ///< somebody whom it held back has ended since the last change
        std::vector<std::uint32_t> flows;
        bool narrow() const { return static_cast<double>(flows.size()) > capacity; }
        double part() const { return room / open; }
    };

    void reach();
    void fill(Time now, const std::function<void(std::uint32_t, Time)>& tell);
    /// `by`: the link that gives it no more.
    void set(std::uint32_t flow, double rate, std::uint32_t by, Time now,
             const std::function<void(std::uint32_t, Time)>& tell);

    std::vector<Flow> flows_;
    std::vector<std::uint32_t> free_;
    std::vector<Link> links_;
    std::uint32_t watched_ = none;
    std::uint32_t change_ = 0;                            ///< its number
    std::vector<std::uint32_t> begun_, loosened_;         ///< since the last one: flows, links
    std::vector<std::uint32_t> reached_;                  ///< flows
    std::vector<std::uint32_t> narrow_;                   ///< links that may hold them back
    std::vector<std::pair<double, std::uint32_t>> heap_;  ///< of these, by what they have for each
};

}  // namespace laneway
