/*
 * Barriers in which threads wait in loops.
 */
#include "handmade.h"

#define STAGES 2 /* log2(MOST) */

static atomic_int count, sense;
static int my_sense[MOST], my_round[MOST];

/* The last one turns the sense for all. */
static void sense_wait(int thread, int n)
{
	my_sense[thread] = !my_sense[thread];
	if (atomic_fetch_add(&count, 1) == n - 1) {
		atomic_store(&count, 0);
		atomic_store(&sense, my_sense[thread]);
		return;
	}
	while (atomic_load(&sense) != my_sense[thread])
		WAIT();
}

/* Wrong: the one who is let go may come again before the count is back at 0. */
static void late_wait(int thread, int n)
{
	my_sense[thread] = !my_sense[thread];
	if (atomic_fetch_add(&count, 1) == n - 1) {
		atomic_store(&sense, my_sense[thread]);
		atomic_store(&count, 0);
		return;
	}
	while (atomic_load(&sense) != my_sense[thread])
		WAIT();
}

/* It only counts up. */
static void counter_wait(int thread, int n)
{
	int all = ++my_round[thread] * n;

	atomic_fetch_add(&count, 1);
	while (atomic_load(&count) < all)
		WAIT();
}

/* In stage k everybody tells the one 2^k further on. */
static atomic_int told[MOST][STAGES];

static void dissemination_wait(int thread, int n)
{
	int round = ++my_round[thread];

	for (int k = 0; 1 << k < n; k++) {
		atomic_fetch_add(&told[(thread + (1 << k)) % n][k], 1);
		while (atomic_load(&told[thread][k]) < round)
			WAIT();
	}
}

/* In stage k the one of two that goes on waits for the other; the last lets all go. */
static atomic_int lost[MOST], champion;

static void tournament_wait(int thread, int n)
{
	int round = ++my_round[thread];

	for (int k = 0; 1 << k < n; k++) {
		int other = thread + (1 << k);

		if (thread & 1 << k) {
			atomic_store(&lost[thread], round);
			while (atomic_load(&champion) < round)
				WAIT();
			return;
		}
		while (other < n && atomic_load(&lost[other]) < round)
			WAIT();
	}
	atomic_store(&champion, round);
}

const struct barrier_kind barriers[] = {
	{ "sense-barrier", sense_wait },
	{ "counter-barrier", counter_wait },
	{ "dissemination-barrier", dissemination_wait },
	{ "tournament-barrier", tournament_wait },
	{ 0 },
};

const struct barrier_kind wrong_barriers[] = {
	{ "late-reset", late_wait },
	{ 0 },
};
