// SPDX-License-Identifier: BSD-3-Clause
#include "switch/switch.hpp"

#include <poll.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <span>
#include <utility>

#include "switch/clock.hpp"
#include "text/json.hpp"

namespace laneway::lanes {
namespace {

constexpr std::int64_t room = std::int64_t{1} << 30U;

constexpr Time never = std::numeric_limits<Time>::max();
constexpr Time patience = second / 100;  ///< The wait of whoever asks, if there is always a frame.
constexpr Time least_pause = 50'000;     ///< To be woken less often than that is worth nothing.

Time now_by(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * second + time.tv_nsec;
}

Time now() { return now_by(CLOCK_MONOTONIC); }
Time realtime() { return now_by(CLOCK_REALTIME); }

timespec as_timespec(Time time) { return {.tv_sec = time / second, .tv_nsec = time % second}; }

std::vector<Port> opened(const Layout& layout, const Ring& ring)
{
    std::vector<Port> ports;
    for (std::size_t port = 0; port < layout.ports(); ++port)
        ports.emplace_back(layout.device(port), ring);
    return ports;
}

}  // namespace

Switch::Switch(const Layout& layout, const Pace& pace, const Sending& sending, const Ring& ring)
    : layout_(layout),
      fabric_(layout.ports(), pace, static_cast<std::int64_t>(sending.full), room),
      pause_(std::min(fabric_.soonest(), unwatched(pace, ring.slots(), sending.burst))),
      ports_(opened(layout, ring)),
      dropped_(layout.ports(), 0)
{
    const auto add = [this](int descriptor) {
        polled_.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
    };
    for (const Port& port : ports_) add(port.descriptor());
    add(reporter_.descriptor());
}

void Switch::run()
{
    const auto give = [this](std::size_t to, Time due, const Frame& frame) {
        deliver(to, due, frame);
    };
    for (;;) {
        receive();
        fabric_.run(now(), give);
        wait();
    }
}

void Switch::receive()
{
    const Time start = now();
    const Time realtime_ahead = ahead(now, realtime);
    for (std::size_t from = 0; from < ports_.size(); ++from) {
        ports_[from].receive([&](const Port::Received& received) {
            // All frames that had come before were taken then; and the clock may have been set meanwhile.
            const Time when = std::clamp(received.when - realtime_ahead, received_, start);
            for (const std::size_t to : layout_.targets(from, received.frame)) {
                Frame frame{facts_of(received.frame, received.segment),
                            {received.data.begin(), received.data.end()}};
                layout_.direct(std::span(frame.data).last(received.frame.size()), to);
                if (!fabric_.arrive(when, from, to, std::move(frame))) ++dropped_[to];
            }
        });
    }
    received_ = start;
}

void Switch::deliver(std::size_t to, Time due, const Frame& frame)
{
    lateness_.add(now() - due);
    if (!ports_[to].send(frame.data)) ++dropped_[to];
}

/// Waits until something happens: a frame is due, or, where none is under way, frames come.
///
/// No frame that comes now is due before its latency is over. So while others are under way it need not wake us. A
/// process that sends several frames is not interrupted for each, as long as there is room for them.
void Switch::wait()
{
    const Time due = fabric_.next().value_or(never);
    const Time start = now();
    if (start >= asked_ + patience) return listen(std::min(due, start));
    if (start >= due) return;
    if (due == never || pause_ < least_pause) return listen(due);
    const timespec until = as_timespec(std::min(due, start + pause_));
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

/// Waits until `end`, until frames come, or until somebody asks.
void Switch::listen(Time end)
{
    const timespec left = as_timespec(std::max<Time>(end - now(), 0));
    ppoll(polled_.data(), polled_.size(), end == never ? nullptr : &left, nullptr);
    if ((polled_.back().revents & POLLIN) != 0) reporter_.answer(status());
    asked_ = now();
}

std::string Switch::status()
{
    std::vector<std::int64_t> dropped;
    for (std::size_t port = 0; port < ports_.size(); ++port)
        dropped.push_back(static_cast<std::int64_t>(dropped_[port] + ports_[port].lost()));
    const Json told = JsonObject()
                          .add("frames", lateness_.frames())
                          .add("late_ns", lateness_.sum())
                          .add("worst_ns", lateness_.worst())
                          .add("classes", lateness_.classes())
                          .add("most_held_bytes", fabric_.most_held())
                          .add("dropped", dropped)
                          .add("scheduling", scheduling_)
                          .json();
    return told.text + "\n";
}

}  // namespace laneway::lanes
