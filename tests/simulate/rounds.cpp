// SPDX-License-Identifier: BSD-3-Clause
// How all blocks reach all processes, played out.
#include "patterns/rounds.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

/// Lets all processes go as far as blocks have come.
class Game {
public:
    explicit Game(const std::vector<Rounds>& all) : all_(all), players_(all.size())
    {
        for (std::size_t position = 0; position < all.size(); ++position)
            players_[position].has.assign(all.size(), static_cast<char>(0));
        for (std::size_t position = 0; position < all.size(); ++position)
            players_[position].has[position] = 1;
    }

    void play()
    {
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (std::size_t position = 0; position < all_.size(); ++position)
                while (advance(position)) goes_on = true;
        }
        for (std::size_t position = 0; position < all_.size(); ++position) {
            TRUE(players_[position].round == all_[position].size());
            TRUE(std::ranges::count(players_[position].has, 1) ==
                 static_cast<std::ptrdiff_t>(all_.size()));
        }
        for (const auto& [ends, queue] : under_way_) TRUE(queue.empty());
    }

private:
    struct Player {
        std::vector<char> has;
        std::size_t round = 0;
        bool has_sent = false;
    };

    /// Through the round that it is in.
    bool advance(std::size_t position)
    {
        Player& self = players_[position];
        if (self.round == all_[position].size()) return false;
        const Round& round = all_[position][self.round];
        const int own = static_cast<int>(position);
        if (!self.has_sent)
            for (const auto& [peer, blocks] : round.leaving) {
                for (const int block : blocks) TRUE(self.has[static_cast<std::size_t>(block)]);
                under_way_[{own, peer}].push_back(sorted(blocks));
            }
        self.has_sent = true;
        for (const auto& [peer, blocks] : round.arriving)
            if (under_way_[{peer, own}].empty()) return false;
        for (const auto& [peer, blocks] : round.arriving) {
            auto& queue = under_way_[{peer, own}];
            TRUE(queue.front() == sorted(blocks));
            queue.pop_front();
            for (const int block : blocks) {
                TRUE(!self.has[static_cast<std::size_t>(block)]);
                self.has[static_cast<std::size_t>(block)] = 1;
            }
        }
        ++self.round;
        self.has_sent = false;
        return true;
    }

    static Blocks sorted(Blocks blocks)
    {
        std::ranges::sort(blocks);
        return blocks;
    }

    const std::vector<Rounds>& all_;
    std::vector<Player> players_;
    std::map<std::pair<int, int>, std::deque<Blocks>> under_way_;
};

/// Everyone gets every block once, on as many processes as are tried.
void reaches_all(const std::function<Rounds(int position, int size)>& rounds_of)
{
    for (int size = 1; size <= 260; size += size < 70 ? 1 : 31) {
        std::vector<Rounds> all;
        for (int position = 0; position < size; ++position)
            all.push_back(rounds_of(position, size));
        Game(all).play();
    }
}

const Register doubling_rounds("recursive doubling brings everyone every block once", [] {
    reaches_all(recursive_doubling);
    EQUAL(recursive_doubling(5, 8).size(), std::size_t{3});
    EQUAL(recursive_doubling(12, 13).size(), std::size_t{3});
});

const Register dissemination("Bruck's rounds bring everyone every block once, in log_r p rounds",
                             [] {
                                 for (const int radix : {2, 3, 4, 7, 64})
                                     reaches_all([&](int position, int size) {
                                         return bruck(position, size, radix);
                                     });
                                 EQUAL(bruck(5, 1000, 10).size(), std::size_t{3});
                                 EQUAL(bruck(5, 1001, 10).size(), std::size_t{4});
                             });

const Register circulants("circulant rounds bring everyone every block once, in log p rounds", [] {
    reaches_all(circulant);
    EQUAL(circulant(5, 1024).size(), std::size_t{10});
    EQUAL(circulant(5, 1025).size(), std::size_t{11});
});

const Register halving("Sparbit's rounds bring everyone every block once, most from the nearest",
                       [] {
                           reaches_all(sparbit);
                           const Rounds rounds = sparbit(3, 13);
                           EQUAL(rounds.size(), std::size_t{4});
                           TRUE(rounds.front().leaving.front().blocks.size() == 1);
                           TRUE(rounds.back().leaving.front().blocks.size() == 6);
                           TRUE(rounds.back().leaving.front().peer == 4);
                       });

const Register neighbors("neighbour exchange brings everyone every block once, by neighbours", [] {
    reaches_all(neighbor_exchange);
    for (const Round& round : neighbor_exchange(6, 14)) {
        EQUAL(round.leaving.size(), std::size_t{1});
        EQUAL(std::abs(round.leaving.front().peer - 6), 1);
    }
    EQUAL(neighbor_exchange(6, 14).size(), std::size_t{7});
    EQUAL(neighbor_exchange(6, 13).size(), std::size_t{6});
});

const Register meeting_all("all meet all, each one other in a round, in as few rounds as can be",
                           [] {
                               for (int size = 1; size < 40; ++size) {
                                   std::map<int, std::vector<int>> met;  // positions by round
                                   for (int one = 0; one < size; ++one)
                                       for (int other = 0; other < one; ++other) {
                                           const int round = meeting(one, other, size);
                                           EQUAL(meeting(other, one, size), round);
                                           TRUE(0 <= round && round < meetings(size));
                                           for (const int position : {one, other}) {
                                               TRUE(std::ranges::count(met[round], position) == 0);
                                               met[round].push_back(position);
                                           }
                                       }
                               }
                           });

}  // namespace
}  // namespace laneway::simulate
