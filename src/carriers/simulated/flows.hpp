// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "carriers/simulated/machine.hpp"

namespace laneway {

/// Messages on their way as flows, which share links max-min fair at any time. A flow's rate can only grow at
/// the expense of a flow that has no more. Rates are found by progressive filling: the link with the least for
/// each of its flows gives them that, and so on. (Bertsekas and Gallager, "Data Networks", Section 6.5.2.)
///
/// A flow by itself has rate 1, and work in picoseconds at that rate. So a link of as many flows as it has
/// capacity holds no flow back. Rates are found anew only for flows that a change reaches over links that do.
/// That takes O(h log l) for their h passages of l such links. Flows that begin and end at one time are one
/// change.
class Flows {
public:
    /// `capacities`, by link: how many flows of rate 1 it carries.
    explicit Flows(const std::vector<double>& capacities);

    /// Begins a flow, and returns its number, which is free again after end(). It has no rate before share().
    std::uint32_t begin(Time now, double work, std::span<const std::uint32_t> links);
    void end(std::uint32_t flow);

    /// Finds rates anew after changes. `tell` is called for each flow that ends at another time than it did.
    void share(Time now, const std::function<void(std::uint32_t flow, Time due)>& tell);

    bool is_due(std::uint32_t flow, Time now) const { return flows_[flow].due == now; }
    double rate(std::uint32_t flow) const { return flows_[flow].rate; }
    /// For how long watched links held a flow back, until now.
    Time held(std::uint32_t flow, Time now) const;
    /// Links with numbers below `before` are watched; held() does not ask for others.
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
        std::uint32_t seen = 0;  ///< the last change that reached it
        bool open = false;       ///< in a change: it has no rate yet
        bool under_way = false;
        std::vector<std::uint32_t> links;
    };
    struct Link {
        double capacity;
        double room = 0;         ///< in a change: the capacity that is left
        std::uint32_t open = 0;  ///< in a change: its flows that have no rate yet
        std::uint32_t seen = 0;
        bool loosened = false;  ///< a flow that it held back has ended since the last change
        std::vector<std::uint32_t> flows;
        bool narrow() const { return static_cast<double>(flows.size()) > capacity; }
        double part() const { return room / open; }
    };

    void reach();
    void fill(Time now, const std::function<void(std::uint32_t, Time)>& tell);
    /// Gives a flow its rate. `by`: the link that gives it no more.
    void set(std::uint32_t flow, double rate, std::uint32_t by, Time now,
             const std::function<void(std::uint32_t, Time)>& tell);

    std::vector<Flow> flows_;
    std::vector<std::uint32_t> free_;
    std::vector<Link> links_;
    std::uint32_t watched_ = none;
    std::uint32_t change_ = 0;                            ///< number of the change
    std::vector<std::uint32_t> begun_, loosened_;         ///< since the last change: flows, links
    std::vector<std::uint32_t> reached_;                  ///< flows
    std::vector<std::uint32_t> narrow_;                   ///< links that may hold these flows back
    std::vector<std::pair<double, std::uint32_t>> heap_;  ///< these links, by their part()
};

}  // namespace laneway
