# SPDX-License-Identifier: BSD-3-Clause
#
# usage: preloaded.sh PRELOAD PROGRAM [WORD...]
# Becomes PROGRAM, on one rank of a job, once it is sure that Laneway's preload is in the process.
# Says what is missing otherwise, and ends; the launcher then ends the job.

preload=$1
shift
while read -r mapping; do
    case $mapping in */"${preload##*/}") exec "$@" ;; esac
done </proc/self/maps

if [ ! -r "$preload" ]; then
    reason="there is no $preload on this host"
else
    case :$LD_PRELOAD: in
    *:"$preload":*) reason="the loader could not load $preload" ;;
    *) reason="LD_PRELOAD did not reach it" ;;
    esac
fi
rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-?}}}
echo "laneway: rank $rank on $(uname -n) would run without Laneway: $reason" >&2
sleep 1 # for the other ranks to say so, too: the first end is the end of the job
exit 1
