#!/bin/sh
# Runs a command inside the Debian of a folder, in separate namespaces. `isolated-engine.ts` starts this script in a mount and a process
# namespace, so its mounts and processes end with it. The script adds a network namespace, which reaches the internet through
# slirp4netns. The network interfaces, firewall rules and settings of this machine do not change.
#
#   enter.sh DEBIAN TEMPORARY IMAGES PROJECT COMMAND …
set -eu
debian=$1 temporary=$2 images=$3 project=$4
shift 4

mkdir -p "$debian/srv" "$debian/proc" "$debian/sys" "$debian/dev" "$debian/run" "$debian/tmp" "$debian$project"
mount --make-rprivate /
# A process that enters a container's mount namespace starts at the root of that namespace. So the Debian must become the root.
# pivot_root does that (chroot does not), and needs a mount.
mount --bind "$debian" "$debian"
mount -t proc proc "$debian/proc"
mount --rbind /sys "$debian/sys"
mount --rbind /dev "$debian/dev"
mount -t tmpfs tmpfs "$debian/run"
mount --bind "$temporary" "$debian/tmp"
mount --bind "$images" "$debian/srv"
mount --bind "$project" "$debian$project"
# The name server of slirp4netns, which forwards to this machine's name server.
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
mkfifo /run/network-ready
unshare --net sh -euc '\''
  ip link set lo up
  echo > /run/network-ready
  until ip route | grep -q default; do sleep 0.1; done
  cd "$0"
  exec "$@"
'\'' "$project" "$@" &
command=$!
# Waits for the new network namespace. Otherwise slirp4netns would add its interface to the network of this machine.
read -r _ < /run/network-ready || true
slirp4netns --configure --mtu=65520 --disable-host-loopback "$command" tap0 > /run/slirp4netns.log 2>&1 &
wait "$command"
' sh "$project" "$@"
