#!/bin/bash
# SPDX-License-Identifier: MIT
# fetch_source.sh PACKAGE FOLDER: Debian's source of PACKAGE, unpacked and with Debian's patches, as
# FOLDER/PACKAGE. By a list of sources of its own, so that those of the system stay as they are. Where
# packages come from is asked of apt.
set -euo pipefail
package=${1:?fetch_source.sh PACKAGE FOLDER} folder=$(realpath -m "${2:?}")

lists=$folder/lists
mkdir -p "$lists/partial"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
options=""
[[ -f $keyring ]] && options="[signed-by=$keyring] "
apt-cache policy | awk -v options="$options" '
  $2 ~ /^(https?|file):/ && $3 ~ "/main$" {
    sub("/main$", "", $3)
    print "deb-src " options $2 " " $3 " main"
  }' | sort -u >"$folder/sources.list"
if [[ ! -s $folder/sources.list ]]; then
  echo "fencepost: apt does not say where Debian's packages come from; run apt-get update" >&2
  exit 1
fi
own=(-q -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$lists" -o APT::Sandbox::User=)
cd "$folder"
[[ -n $(find "$lists" -maxdepth 1 -name '*Sources*' -print -quit) ]] ||
  apt-get "${own[@]}" update </dev/null
rm -rf "$package"
# The newest may be listed and not be there, no longer or not yet: then the one before it.
older=$(apt-cache "${own[@]}" showsrc --only-source "$package" 2>/dev/null |
  awk '/^Version:/ { print $2 }' | sort -rVu | tail -n +2 || true)
found=0
for version in "" $older; do
  rm -rf fetched
  mkdir fetched
  if (cd fetched && apt-get "${own[@]}" source "$package${version:+=$version}" </dev/null); then
    found=1
    break
  fi
done
if ((!found)); then
  rm -rf fetched
  echo "fencepost: no version of Debian's source package '$package' can be fetched" >&2
  exit 1
fi
mv "$(find fetched -mindepth 1 -maxdepth 1 -type d -print -quit)" "$package"
rm -rf fetched
