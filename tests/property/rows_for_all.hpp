// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "vectors.hpp"

namespace laneway::property {

/// One rank's rows of an alltoallv or alltoallw.
class RowsForAll {
public:
    RowsForAll(const Trial& trial, Row::Types types)
        : lengths_(trial.of(), trial.size()),
          // The types of input and result differ where the form has several.
          input(*trial.of().form, trial.rank() + 1, lengths_.sent_by(trial.rank()), sent_at(trial),
                types),
          result(*trial.of().form, trial.rank(), lengths_.received_by(trial.rank()),
                 received_at(trial), types),
          expected(result.twin())
    {
        for (int rank = 0; rank < trial.size(); ++rank) {
            (trial.in_place() ? result : input).write(block(trial, trial.rank(), rank), rank);
            expected.write(block(trial, rank, trial.rank()), rank);
        }
    }

    /// Makes the call, and judges it.
    void serve(Trial& trial, const std::function<int()>& call)
    {
        trial.serve(&input.memory(), call);
        const std::size_t all =
            static_cast<std::size_t>(lengths_.total(true)) * size_of(trial.of().form->kind);
        trial.expect_served<Alltoallv>(unknown_lengths, all,
                                       result.wire_bytes() + input.wire_bytes());
        expect_row(trial, result, expected);
    }

private:
    /// In place there is nothing that may overlap.
    static Places sent_at(const Trial& trial)
    {
        const Places places = trial.of().irregular->places;
        return trial.in_place() && places == Places::overlapping ? Places::apart : places;
    }
    /// In other places than what is sent.
    static Places received_at(const Trial& trial)
    {
        const Places places = trial.of().irregular->places;
        if (places == Places::overlapping) return Places::apart;
        return !trial.in_place() && places == Places::apart ? Places::reversed : places;
    }
    Bytes block(const Trial& trial, int from, int to) const
    {
        return block_of(*trial.of().form, from, to, lengths_.between(from, to), sent_at(trial));
    }

    BlockLengths lengths_;

public:
    Row input;
    Row result;
    Row expected;
};

}  // namespace laneway::property
