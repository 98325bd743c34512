#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The command `laneway` of the Python environment that this build lies in, <environment>/lib/laneway/<id>:
# for PATH, where the environment's own python and pip should not stand.

environment=$(dirname "$0")/../../../..
if [ ! -x "$environment/bin/laneway" ]; then
    echo "laneway: only the native part is installed here: docs/profiles.md says how to install both" >&2
    exit 127
fi
exec "$environment/bin/laneway" "$@"
