#!/bin/sh
# Seconds from `git clone` to the first confirmed bug: README's steps, one after the other.
#
#   bench/first_bug.sh            on this machine: in a fresh clone, without ccache; what apt-get
#                                 would install is there already
#   bench/first_bug.sh --fresh    in a Debian 12 of its own that has nothing but git and make, made by
#                                 debootstrap (not counted); needs root and the network
#   bench/first_bug.sh --root DIR in a Debian 12 that debootstrap has made in DIR; it is kept
#
# The clone is made from this repository on the same disk, so the network is only in apt-get's time.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
export CCACHE_DISABLE=1 DEBIAN_FRONTEND=noninteractive
unset HEDDLE_NO_INSTALL HEDDLE_OPTIONS || true

# What runs in the folder where the clone goes; @1: what to clone.
steps='
set -eu
now() { date +%s.%N; }
step() { # name, command
	begin=$(now)
	sh -c "$2" >log 2>&1 || { tail -20 log; echo "first_bug: \`$2\` failed"; exit 1; }
	awk -v a="$begin" -v b="$(now)" -v name="$1" "BEGIN { printf \"| %s | %.1f |\\n\", name, b - a }"
}
echo "| step | s |"
echo "| --- | ---: |"
first=$(now)
step "\`git clone\` ('"$(du -sh "$top/.git" | cut -f1)"'B)" "git clone -q \"$1\" heddle"
step "\`make setup\`: apt-get" "make -C heddle setup"
step "\`make\`" "make -C heddle"
step "\`make demo\`: build the example, find the bug, replay it" "make -C heddle demo"
grep -q "atomicity violation on .balance. (RWW): confirmed" log || { echo "first_bug: nothing was confirmed"; exit 1; }
awk -v a="$first" -v b="$(now)" "BEGIN { printf \"| all | %.1f |\\n\", b - a }"
'

in_root() { # folder
	rm -rf "$1/heddle.git"
	git clone -q --bare "file://$top" "$1/heddle.git"
	cp /etc/resolv.conf "$1/etc/resolv.conf"
	unshare --mount sh -eu -c '
		mount -t proc proc "$1/proc"
		chroot "$1" sh -c "apt-get -q update && apt-get -q -y install --no-install-recommends git make" >"$1/apt.log" 2>&1 || {
			tail -5 "$1/apt.log"
			echo "first_bug: git and make could not be installed"
			exit 1
		}
		env -u TMPDIR chroot "$1" sh -c "rm -rf /first && mkdir /first && cd /first && sh -c \"\$1\" steps file:///heddle.git" steps "$2"
	' in_root "$1" "$steps"
	rm -rf "$1/heddle.git"
}

case ${1:-} in
--root)
	in_root "$(cd "$2" && pwd)"
	;;
--fresh)
	folder=$(mktemp -d "${TMPDIR:-/tmp}/heddle-fresh.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	debootstrap --variant=minbase bookworm "$folder/root" >"$folder/log" 2>&1 || { tail -3 "$folder/log"; exit 1; }
	in_root "$folder/root"
	;;
'')
	folder=$(mktemp -d "${TMPDIR:-/tmp}/heddle-first.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	(cd "$folder" && sh -c "$steps" steps "file://$top")
	;;
*)
	sed -n '2,11s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
