// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/state.hpp"

#include <utility>

#include "call/agree/agreed.hpp"
#include "call/communicator/node_memory.hpp"
#include "call/communicator/one_node.hpp"
#include "call/communicator/reproducible.hpp"
#include "choose/lane_weights.hpp"
#include "library/error.hpp"
#include "library/progress.hpp"
#include "library/real.hpp"
#include "machine/device.hpp"
#include "machine/node.hpp"

namespace laneway {
namespace {

int greatest(int mine, MPI_Comm comm)
{
    int all = 0;
    check_raised(real::Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm));
    return all;
}

}  // namespace

State* State::existing(MPI_Comm comm) { return static_cast<State*>(Lifetime::of(comm)); }

State& State::of(MPI_Comm comm, bool may_be_served)
{
    State* const known = existing(comm);
    return known ? *known : make(comm, agreed_before(comm), may_be_served);
}

State& State::make(MPI_Comm comm, std::shared_ptr<const Settings> agreed, bool may_be_served)
{
    std::unique_ptr<State> made(new State(comm, std::move(agreed), may_be_served));
    State& state = *made;
    begin(std::move(made), comm);
    return state;
}

void State::agree_before_duplicate(MPI_Comm comm)
{
    // Processes may know at different times what they have agreed on elsewhere: this waits for nobody.
    if (!existing(comm) && !ends(comm)) make(comm, nullptr, false);
}

/// `agreed`: what all processes have agreed on before; null: they begin to.
State::State(MPI_Comm comm, std::shared_ptr<const Settings> agreed, bool may_be_served)
    : comm_(comm),
      member_(member_of(comm))
{
    int inter = 0;
    check_raised(PMPI_Comm_test_inter(comm, &inter));
    is_inter_ = inter != 0;
    if (is_inter_) {
        native_because_ = "an inter-communicator";
    } else if (member_.size == 1) {
        native_because_ = "a communicator of one process";
    } else if (agreed) {
        take_settings(std::move(agreed));
        return;
    } else {
        agreement_ = std::make_unique<Agreement>(comm, Settings::own(), may_be_served);
        return;
    }
    early_calls_.end();
    if (Report::own()) find_place();
}

bool State::count_call(std::int64_t bytes)
{
    const int patience =
        settings().rules().matter() ? settings().patience(comm_ == MPI_COMM_WORLD) : 0;
    return early_calls_.count(bytes, patience, parts_ != nullptr);
}

bool State::settled(bool waits, bool all_meet)
{
    if (!is_open()) return true;
    const Agreement::Outcome outcome = agreement_->reach(waits, all_meet);
    if (outcome != Agreement::Outcome::later) {
        early_calls_.settle(agreement_->is_unanimous());
        take_settings(outcome == Agreement::Outcome::native ? nullptr : agreement_->settings());
    } else if (Report::own() && !reported_) {
        reported_ = std::make_unique<ReportedComm>(reported_of(comm_));
    }
    return !is_open();
}

/// `agreed`: what all have agreed on; null: nothing, and all is native.
void State::take_settings(std::shared_ptr<const Settings> agreed)
{
    settings_ = std::move(agreed);
    if (!settings_) {
        native_because_ = "a process that could not load Laneway";
    } else {
        if (settings_->rules().matter(Scope::nonblocking) ||
            settings_->rules().matter(Scope::persistent))
            any_chooses_forms_ = true;
        if (!settings_->error().empty())
            native_because_ = "settings that cannot be understood";
        else if (settings_->advises())
            native_because_ = "advising";
        else if (settings_->off())
            native_because_ = "LANEWAY=off";
        say_what_is_overruled(*settings_, member_.rank);
    }
    agreement_.reset();
    if (Report::own() || (settings_ && settings_->reports())) find_place();
}

void State::find_whereabouts_once()
{
    if (!whereabouts_.mapping.nodes.empty()) return;
    try {
        whereabouts_ = find_whereabouts(comm_, member_.size, *settings_);
    } catch (const Error& error) {
        throw Error(error.code(), true);  // the communicator is the user's
    }
}

Shape State::shape() const
{
    return shape_of(whereabouts_.mapping.nodes, whereabouts_.cores, *settings_);
}

const Selector* State::selector(Scope form)
{
    if (native_because_ || !settings_->rules().matter()) return nullptr;
    if (selectors_.empty()) {
        find_whereabouts_once();
        const Shape shape = this->shape();
        say_if_on_one_node(*settings_, shape, member_);
        for (const Scope one : {Scope::user, Scope::nonblocking, Scope::persistent})
            selectors_.emplace_back(settings_->rules(), one, shape);
        offers_nonblocking_ = selectors_[static_cast<std::size_t>(Scope::nonblocking)].offers();
    }
    return settings_->rules().matter(form) ? &selectors_[static_cast<std::size_t>(form)] : nullptr;
}

void State::prepare(bool carries_on)
{
    if (is_prepared_) return;
    carries_on_ = greatest(!carries_on, comm_) == 0;
    if (carries_on_ && !parts()) return;
    is_prepared_ = true;
    if (!carries_on_) return;
    devices();
    learning();
    const Comm& node = parts_->node;
    // Components chosen for nodes have communicators of their own, apart from the channel.
    const bool apart = settings_->rules().decompose(Scope::node) || !node.channel();
    if (nodes_are_virtual(settings_->virtual_nodes()) || (node.size() > 1 && apart))
        progress::expect_unseen_news();
}

Parts* State::parts()
{
    if (parts_ || native_because_) {
        if (parts_) mind_devices(*parts_);
        return parts_.get();
    }
    find_whereabouts_once();
    try {
        std::vector<Comm> world;
        errors_.emplace(comm_);
        errors_->while_returning([&] { world = split_agreed(comm_, {{0, member_.rank}}); });
        parts_ = std::make_unique<Parts>(
            std::move(world.front()).dividing_operators(settings_->divides_operators()),
            whereabouts_.mapping, settings_->network_lanes(),
            served_parts(whereabouts_.cores, *settings_));
        parts_->world.take_turns(Decomposition(*parts_).tags());
        if (settings_->shares_memory()) share_memory(*parts_);
        if (settings_->finds_weights()) begin_weighing();
    } catch (const NoCommunicators& none) {
        (none.for_good() ? native_because_ : no_parts_because_) = none.what();
    }
    return parts_.get();
}

Learning* State::learning()
{
    if (!settings().learns() || !parts()) return nullptr;
    if (!learning_)
        learning_ = std::make_unique<Learning>(comm_, *settings_, shape(), parts_->layout());
    return learning_.get();
}

void State::begin_weighing()
{
    const NetworkLanes lanes = settings_->network_lanes();
    LaneFinder::Weights said;
    if (!lanes.weights.empty())
        for (const std::size_t number : whereabouts_.mapping.weighed)
            said.push_back(lanes.weights_of(number));
    weighing_ = std::make_unique<Weighing>(comm_, *parts_, lanes.number, std::move(said),
                                           name_of_node(settings_->virtual_nodes()));
}

void State::weigh(const Facts& facts, Message message)
{
    report_weights();
    if (weighing_ && facts.bytes > 0)
        weighing_->carried(facts.bytes * (message == Message::one ? 1 : member_.size));
}

/// Rank 0 says it for all. Where lanes are alike that is said, too, if somebody looks.
void State::report_weights() const
{
    Report* const report = reported_ && member_.rank == 0 ? Report::own() : nullptr;
    if (!report || (parts_->layout().alike() && !weighing_)) return;
    const std::string words = weighing_ ? weighing_->words() : in_words(settings_->network_lanes());
    report->count_weights(*reported_, words.empty() ? "alike" : words, weighing_ != nullptr);
}

bool State::devices()
{
    if (!devices_) devices_ = greatest(uses_devices(), comm_) != 0;
    return *devices_;
}

Member member_of(MPI_Comm comm)
{
    Member member{};
    check_raised(PMPI_Comm_rank(comm, &member.rank));
    check_raised(PMPI_Comm_size(comm, &member.size));
    return member;
}

}  // namespace laneway
