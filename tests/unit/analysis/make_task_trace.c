/*
 * A run of a task program of any size, as text that `heddle trace import` reads.
 *
 *     make_task_trace TASKS ACCESSES [SEED [LOCATIONS [LOCKS]]]
 *
 * Tasks are made by random tasks, in random finishes; each makes ACCESSES accesses to random ones
 * of LOCATIONS locations (default 8), in critical sections of LOCKS locks (default 0) half of the
 * time. One task after the other runs, as a depth-first schedule would have it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/rng.h"

static struct {
	struct hd_rng rng;
	unsigned long tasks, made, accesses, locations, locks, finishes;
	unsigned long *values, values_made;
} g;

static unsigned long below(unsigned long n)
{
	return n ? hd_rng_next(&g.rng) % n : 0;
}

static void access_one(unsigned long task)
{
	unsigned long x = below(g.locations), lock = below(2 * g.locks);

	if (lock < g.locks)
		printf("T%lu acquire m%lu\n", task, lock);
	if (below(2))
		printf("T%lu read x%lu %lu @gen.c:%lu\n", task, x, g.values[x], 1 + x % 100);
	else
		printf("T%lu write x%lu %lu @gen.c:%lu\n", task, x, g.values[x] = ++g.values_made,
		       101 + x % 100);
	if (lock < g.locks)
		printf("T%lu release m%lu\n", task, lock);
}

static void run_task(unsigned long task, unsigned depth)
{
	unsigned long finish = 0, joined[8], njoined = 0, children = depth < 12 ? below(5) : 0;

	for (unsigned long i = 0; i < g.accesses; i++) {
		access_one(task);
		if (children && g.made < g.tasks && below(g.accesses) < 4) {
			unsigned long child = ++g.made;

			children--;
			if (!finish && below(3) == 0) {
				finish = ++g.finishes;
				printf("T%lu finish-begin %lu\n", task, finish);
			}
			printf("T%lu fork T%lu\nT%lu task-spawn %lu\nT%lu task-begin %lu\n", task,
			       child, task, child, child, child);
			run_task(child, depth + 1);
			printf("T%lu task-end %lu\n", child, child);
			if (finish)
				joined[njoined++] = child;
		}
	}
	for (unsigned long i = 0; i < njoined; i++)
		printf("T%lu join T%lu\n", task, joined[i]);
	if (finish)
		printf("T%lu finish-end %lu\n", task, finish);
}

static unsigned long argument(int argc, char **argv, int i, unsigned long otherwise)
{
	return i < argc ? strtoul(argv[i], NULL, 0) : otherwise;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr,
			"usage: make_task_trace TASKS ACCESSES [SEED [LOCATIONS [LOCKS]]]\n");
		return 2;
	}
	g.tasks = argument(argc, argv, 1, 1);
	g.accesses = argument(argc, argv, 2, 1);
	hd_rng_seed(&g.rng, argument(argc, argv, 3, 1));
	g.locations = argument(argc, argv, 4, 8);
	g.locks = argument(argc, argv, 5, 0);
	g.values = calloc(g.locations + 1, sizeof(*g.values));
	if (!g.values || !g.locations)
		return 2;
	g.made = 1;
	/* The first task goes on until all are made. */
	while (g.made < g.tasks)
		run_task(1, 0);
	return 0;
}
