#!/bin/sh
# Generated runs of task programs, through import and analysis: many parallel tasks on few locations
# tear each other, whatever the seed; a single task tears nothing. An update that is torn by an access that races
# with it is told under the race.
set -eu
heddle=$1 make=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for seed in 1 2 3; do
	"$make" 40 30 $seed 4 2 > "$folder/many.txt"
	"$heddle" trace import "$folder/many.txt" -o "$folder/many.htr"
	status=0
	"$heddle" analyze --only tasks "$folder/many.htr" > "$folder/many.out" || status=$?
	[ $status = 1 ] && grep -q "read of 'x[0-3]' .*, then write of 'x[0-3]' .*, then write of" "$folder/many.out" &&
		grep -q "data race on 'x[0-3]' (tasks): predicted" "$folder/many.out" ||
		{ echo "seed $seed: status $status"; cat "$folder/many.out"; exit 1; }
done
printf 'T1 finish-begin 1\n' > "$folder/one.txt"
for i in 2 3; do # one task after the other, each in a finish of its own
	printf 'T1 fork T%d\nT1 task-spawn %d\nT%d write x %d\nT%d write x 7\nT%d task-end %d\n' \
		$i $i $i $i $i $i $i
	printf 'T1 join T%d\nT1 finish-end %d\nT1 finish-begin %d\n' $i $((i - 1)) $i
done >> "$folder/one.txt"
"$heddle" trace import "$folder/one.txt" -o "$folder/one.htr"
"$heddle" analyze --only tasks --atomic-steps "$folder/one.htr"
