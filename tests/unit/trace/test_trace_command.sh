#!/bin/sh
# heddle trace as a user meets it: outputs, exit codes, one sentence per error.
#   test_trace_command.sh HEDDLE
set -u
heddle=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 3
failures=0

fail()
{
	echo "FAILED: $*" >&2
	failures=$((failures + 1))
}

# expect CODE TEXT ARGS...: the exit code, and one line on standard error that has TEXT
expect()
{
	code=$1 text=$2
	shift 2
	"$heddle" trace "$@" > out 2> err
	got=$?
	[ "$got" = "$code" ] || fail "trace $*: exit $got, not $code"
	[ "$code" = 0 ] && return
	[ "$(wc -l < err)" = 1 ] || fail "trace $*: not one line of error"
	grep -qF -- "$text" err || fail "trace $*: no '$text' in: $(cat err)"
}

cat > run.txt <<'END'
init x 0
T1 fork T2
T1 begin
T1 acquire m
T1 read x 0  @bank.c:12
T1 write x 5
T1 release m
T1 end
T1 join T2
END

expect 0 '' import run.txt -o run.htr
expect 0 '' export --text run.htr
cmp -s run.txt out || fail 'import and export are not inverses'
expect 0 '' export --text run.htr -o back.txt
cmp -s run.txt back.txt || fail 'export -o differs'
expect 0 '' import - -o stdin.htr < run.txt
expect 0 '' dump run.htr --from 4 --count 1
[ "$(cat out)" = '4 T1 read x size=8 value=0 @bank.c:12' ] || fail "dump: $(cat out)"
expect 0 '' dump run.htr --thread T1
[ "$(wc -l < out)" = 8 ] || fail 'dump --thread'
expect 0 '' info run.htr
grep -q '^events    9$' out || fail 'info: events'
grep -q '^complete  yes$' out || fail 'info: complete'
expect 0 '' info run.htr --json
python3 -c 'import json; d = json.load(open("out")); assert d["events"] == 9 and d["complete"]' ||
	fail 'info --json'
expect 0 '' export --chrome run.htr
python3 -c 'import json; json.load(open("out"))' || fail 'chrome is not JSON'
expect 0 '' export --std run.htr
printf 'T1|fork(T2)|0\nT1|begin|0\nT1|acq(m)|0\nT1|r(x)|bank.c:12\nT1|w(x)|0\nT1|rel(m)|0\nT1|end|0\nT1|join(T2)|0\n' > want
cmp -s want out || fail 'export --std'
expect 0 '' import out -o std.htr --std

printf 'T1 release m\n' > bad.txt
expect 2 'bad.txt: line 1: T1 releases m' import bad.txt -o bad.htr
[ ! -e bad.htr ] || fail 'a refused import left a file'

# Damage: the sentence names the byte.
: > empty
expect 2 'byte 0' info empty
expect 2 'not a heddle trace' info run.txt
head -c 100 run.htr > cut.htr
expect 2 'byte 100' dump cut.htr
printf 'HEDDLE\007\000more' > version.htr
expect 2 'version 7' info version.htr
size=$(wc -c < run.htr)
{ head -c $((size - 20)) run.htr; printf 'XXXX'; tail -c 16 run.htr; } > corrupt.htr
expect 2 'damaged at byte' export --text corrupt.htr
[ "$(wc -l < out)" = 9 ] || fail 'events before the damage are missing'

# The command line.
expect 2 'no option' info --frob run.htr
expect 2 'which file' info
expect 2 'needs a number' dump run.htr --from x
expect 2 'needs a value' dump run.htr --from
expect 2 'one file' info run.htr run.htr
expect 2 'which format' export run.htr
expect 2 'add -o' import run.txt
expect 2 'overwrite' export --text run.htr -o run.htr
expect 2 'there is no' frob
expect 2 'cannot open' info missing.htr
expect 3 'cannot create' export --text run.htr -o /nonexistent/x
expect 3 'cannot write' import run.txt -o /dev/full
expect 3 'cannot write' export --text run.htr -o /dev/full
expect 0 '' --help
grep -q '^example' out || fail 'help without an example'

[ "$failures" = 0 ] && echo 'heddle trace: all as expected'
[ "$failures" = 0 ]
