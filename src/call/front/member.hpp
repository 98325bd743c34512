// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laneway {

/// The calling process in a communicator of the user's.
struct Member {
    int rank;
    int size;

    bool knows(int root) const { return root >= 0 && root < size; }
};

}  // namespace laneway
