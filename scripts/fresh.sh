#!/bin/bash
# SPDX-License-Identifier: MIT
# fresh.sh [light]: does what a stranger does, on a machine that has never seen the project. It makes
# the root of a minimal Debian 12 with git, make and a C and C++ toolchain and nothing else, clones
# the committed tree into it, and runs there both commands of the README and then every other one that
# installs something. `light` says what each command would install, builds, and runs `make quick`.
#
# The root is made in build/fresh and goes in the end; KEEP=1 keeps it. It reaches the package
# registries as this machine does, and has nothing else of it. Nothing is skipped: where a root cannot
# be made, that is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
form=${1:-whole}
[[ $form == whole || $form == light ]] || {
  echo "usage: fresh.sh [light]" >&2
  exit 2
}
cannot() {
  printf 'fencepost: no root of a bare Debian can be made here: %s\n' "$*" >&2
  exit 1
}

scripts/install_packages.sh fresh
command -v mmdebstrap >/dev/null || cannot "mmdebstrap is missing (Debian: mmdebstrap)"
((EUID == 0)) || cannot "it takes root: run 'sudo make fresh'"
unshare --mount --pid --fork true 2>/dev/null ||
  cannot "this machine permits no namespaces of its own (unshare --mount --pid)"

place=$PWD/build/fresh
root=$place/root
remove() { rm -rf --one-file-system "$root"; }
# A root that was kept, or left by a run that was killed: what it has mounted went with its namespace.
remove
mkdir -p "$place"
inside=
finish() {
  local status=$?
  # It ends with all that it has started.
  [[ -z $inside ]] || kill -KILL "$inside" 2>/dev/null || true
  if [[ -n ${KEEP:-} ]]; then
    echo "== The root is kept in $root"
  else
    remove
  fi
  if ((status == 0)); then
    echo "== A bare Debian 12: all is well"
  else
    echo "== A bare Debian 12: failed"
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# Debian's packages from where this machine has them.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
  [[ -s $file ]] && sources+=("$file")
done
((${#sources[@]})) || cannot "this machine's apt has no list of Debian's packages"
echo "== Making the root of a minimal Debian 12 with git, make, gcc and g++"
mmdebstrap --quiet --mode=root --variant=minbase --include=git,make,gcc,g++,ca-certificates \
  bookworm "$root" "${sources[@]}" || cannot "mmdebstrap failed"

# The way to the registries: certificates, proxies and the settings of the clients.
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
  [[ -e $file ]] && cp --remove-destination -L "$file" "$root$file"
done
cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
kept=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_CERT PIP_INDEX_URL \
  PIP_DEFAULT_TIMEOUT SSL_CERT_FILE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO CI; do
  [[ -n ${!name:-} ]] && kept+=("$name=${!name}")
done

git clone --quiet --no-hardlinks . "$root/root/fencepost"
cp scripts/fresh_commands.sh "$root/root/commands.sh"
echo "== In it: $(git -C "$root/root/fencepost" log -1 --format='%h %s')"

# In namespaces of its own, so that whatever it mounts or starts ends with it; and as the root of its
# mount namespace, for in a mere chroot the kernel permits no namespaces of users or mounts.
# A job of its own, for one in the background of a script would ignore Ctrl-C, and so would all tests.
start=$SECONDS
set -m
unshare --mount --pid --fork --kill-child --uts bash -euo pipefail -c '
  root=$1
  shift
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  cd "$root"
  pivot_root . mnt
  umount --lazy mnt
  exec "$@"
' fresh "$root" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ${kept[@]:+"${kept[@]}"} \
  bash /root/commands.sh "$form" </dev/null &
inside=$!
wait "$inside"
printf '== Minutes in the root: %d:%02d\n' $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60))
