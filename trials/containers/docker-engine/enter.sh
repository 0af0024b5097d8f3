#!/bin/sh
# Runs a command in a Debian in a folder, in namespaces of its own. `own-engine.ts` starts it in a mount and a process namespace:
# what it mounts and starts ends with it. The network namespace comes here, and reaches the outside as any program does,
# through slirp4netns: no interface, no rule and no setting of this machine's own network is changed.
#
#   enter.sh DEBIAN TEMPORARY IMAGES PROJECT COMMAND …
set -eu
debian=$1 temporary=$2 images=$3 project=$4
shift 4

mkdir -p "$debian/srv" "$debian/proc" "$debian/sys" "$debian/dev" "$debian/run" "$debian/tmp" "$debian$project"
mount --make-rprivate /
# What enters a container's mount namespace begins at that namespace's root: so the Debian becomes the root, which chroot would
# not do, and must be a mount for that.
mount --bind "$debian" "$debian"
mount -t proc proc "$debian/proc"
mount --rbind /sys "$debian/sys"
mount --rbind /dev "$debian/dev"
mount -t tmpfs tmpfs "$debian/run"
mount --bind "$temporary" "$debian/tmp"
mount --bind "$images" "$debian/srv"
mount --bind "$project" "$debian$project"
# The name server of slirp4netns, which asks this machine's.
echo 'nameserver 10.0.2.3' > "$debian/run/resolv.conf"
touch "$debian/etc/resolv.conf"
mount --bind "$debian/run/resolv.conf" "$debian/etc/resolv.conf"

mkdir -p "$debian/.outside"
cd "$debian"
pivot_root . .outside
exec chroot . /bin/sh -euc '
umount -l /.outside
project=$1
shift
mkfifo /run/own-network
unshare --net sh -euc '\''
  ip link set lo up
  echo > /run/own-network
  until ip route | grep -q default; do sleep 0.1; done
  cd "$0"
  exec "$@"
'\'' "$project" "$@" &
own=$!
# Not before it has its own network: slirp4netns would give its interface to the one of this machine.
read -r _ < /run/own-network || true
slirp4netns --configure --mtu=65520 --disable-host-loopback "$own" tap0 > /run/slirp4netns.log 2>&1 &
wait "$own"
' sh "$project" "$@"
