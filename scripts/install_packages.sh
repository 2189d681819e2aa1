#!/bin/bash
# SPDX-License-Identifier: MIT
# install_packages.sh SET…: installs the Debian packages of these sets (package_sets.sh): only those
# that are missing, and none is asked for when all are there. No service that a package brings is
# started, now or with the machine's next start.
# install_packages.sh --list SET…: only prints what it would install.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/package_sets.sh"

only_list=0
if [[ ${1:-} == --list ]]; then
  only_list=1
  shift
fi
if (($# == 0)); then
  echo "usage: install_packages.sh [--list] SET…   (sets: ${package_sets[*]})" >&2
  exit 2
fi
sets=$*
wanted=$(packages_of "$@")
mapfile -t packages <<<"$wanted"

if ! command -v dpkg-query >/dev/null; then
  echo "fencepost: this is no Debian system, so nothing is installed for you." >&2
  echo "fencepost: this command needs the equivalents of: ${packages[*]}" >&2
  exit 0
fi

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true) == installed ]]
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if ((only_list)); then
  printf '%s\n' ${missing[@]:+"${missing[@]}"}
  exit 0
fi
((${#missing[@]})) || exit 0

run=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "fencepost: these Debian packages are missing: ${missing[*]}" >&2
    echo "fencepost: installing them needs root and there is no sudo here. As root, run:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  run=(sudo)
fi
log=$(mktemp)
clean_up=(rm -f "$log")
trap '"${clean_up[@]}"' EXIT

# Another apt may be at work: it is waited for.
apt() {
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@" </dev/null
}

# As Debian asks its packages not to start what they bring; a policy that is there already stays.
policy=${POLICY_RC_D:-/usr/sbin/policy-rc.d}
if [[ ! -e $policy ]]; then
  clean_up=("${run[@]}" rm -f "$log" "$policy")
  printf '#!/bin/sh\nexit 101\n' | "${run[@]}" tee "$policy" >/dev/null &&
    "${run[@]}" chmod 755 "$policy"
fi
unwanted=()
for package in "${missing[@]}"; do
  case $package in redis-server | memcached) unwanted+=("$package") ;; esac
done

echo "== Installing Debian packages ($sets): ${missing[*]}"
# The package lists of a fresh machine are empty or old, so they are read first; an install from
# lists already there is still tried when that fails.
apt update >"$log" 2>&1 || echo "fencepost: apt-get update failed; using the lists at hand" >&2
install() { apt install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; }
# Twice: another apt that ends meanwhile may take away what this one has fetched.
if ! install && ! install; then
  tail -n 20 "$log" >&2
  echo "fencepost: apt-get could not install: ${missing[*]}" >&2
  echo "fencepost: check the network and the permission to install, then run make again." >&2
  exit 1
fi
if ((${#unwanted[@]})) && command -v systemctl >/dev/null; then
  "${run[@]}" systemctl disable "${unwanted[@]}" >>"$log" 2>&1 || true
fi
echo "   installed ${#missing[@]} packages"
