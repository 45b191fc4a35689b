/*
 * A litmus test (tests/unit/runtime/weak/litmus.h has the words), as a program: exits with 3 if the outcome is the
 * one asked for, else with 0. Without one it prints its outcome.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define READS	8

static atomic_int at[3];

static struct thread {
	pthread_t id;
	char words[100];
	int read[READS], n;
} threads[THREADS];

#pragma GCC diagnostic ignored "-Winvalid-memory-model"

/* The order of an atomic operation has to be a constant, or it is taken for seq_cst. */
#define LOADED(o, call)                                                                            \
	((o) == 'r'   ? call(memory_order_relaxed)                                                 \
	 : (o) == 'a' ? call(memory_order_acquire)                                                 \
		      : call(memory_order_seq_cst))
#define CHANGED(o, call)                                                                           \
	((o) == 'l'   ? call(memory_order_release)                                                 \
	 : (o) == 'b' ? call(memory_order_acq_rel)                                                 \
		      : LOADED(o, call))

static int load(atomic_int *p, char order)
{
#define CALL(o) atomic_load_explicit(p, o)
	return LOADED(order, CALL);
#undef CALL
}

static void store(atomic_int *p, int v, char order)
{
	if (order == 'r')
		atomic_store_explicit(p, v, memory_order_relaxed);
	else if (order == 'l')
		atomic_store_explicit(p, v, memory_order_release);
	else
		atomic_store(p, v);
}

static int add(atomic_int *p, int v, char order)
{
#define CALL(o) atomic_fetch_add_explicit(p, v, o)
	return CHANGED(order, CALL);
#undef CALL
}

static int exchange(atomic_int *p, int v, char order)
{
#define CALL(o) atomic_exchange_explicit(p, v, o)
	return CHANGED(order, CALL);
#undef CALL
}

static int strong(atomic_int *p, int expected, int v, char order, char fail)
{
#define CALL(o)                                                                                    \
	(fail == 'r'   ? atomic_compare_exchange_strong_explicit(p, &expected, v, o,               \
								 memory_order_relaxed)             \
	 : fail == 'a' ? atomic_compare_exchange_strong_explicit(p, &expected, v, o,               \
								 memory_order_acquire)             \
		       : atomic_compare_exchange_strong_explicit(p, &expected, v, o,               \
								 memory_order_seq_cst))
	(void)CHANGED(order, CALL);
#undef CALL
	return expected;
}

static int weak(atomic_int *p, int expected, int v, char order, char fail)
{
#define CALL(o)                                                                                    \
	(fail == 'r'                                                                               \
		 ? atomic_compare_exchange_weak_explicit(p, &expected, v, o, memory_order_relaxed) \
	 : fail == 'a'                                                                             \
		 ? atomic_compare_exchange_weak_explicit(p, &expected, v, o, memory_order_acquire) \
		 : atomic_compare_exchange_weak_explicit(p, &expected, v, o,                       \
							 memory_order_seq_cst))
	(void)CHANGED(order, CALL);
#undef CALL
	return expected;
}

static void fence(char order)
{
	if (order == 'a')
		atomic_thread_fence(memory_order_acquire);
	else if (order == 'l')
		atomic_thread_fence(memory_order_release);
	else if (order == 'b')
		atomic_thread_fence(memory_order_acq_rel);
	else
		atomic_thread_fence(memory_order_seq_cst);
}

static void operation(struct thread *t, const char *w)
{
	atomic_int *p = &at[w[0] == 'F' || w[0] == '!' ? 0 : w[1] - 'x'];

	switch (w[0]) {
	case 'W':
		store(p, w[2] - '0', w[3]);
		break;
	case 'R':
		t->read[t->n++] = load(p, w[2]);
		break;
	case 'A':
		t->read[t->n++] = add(p, w[2] - '0', w[3]);
		break;
	case 'X':
		t->read[t->n++] = exchange(p, w[2] - '0', w[3]);
		break;
	case 'C':
		t->read[t->n++] = strong(p, w[2] - '0', w[3] - '0', w[4], w[5]);
		break;
	case 'K':
		t->read[t->n++] = weak(p, w[2] - '0', w[3] - '0', w[4], w[5]);
		break;
	case 'F':
		fence(w[1]);
		break;
	}
}

static void *run(void *arg)
{
	struct thread *t = arg;
	char *save, *w;

	for (w = strtok_r(t->words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		operation(t, w);
	return NULL;
}

int main(int argc, char **argv)
{
	char outcome[64];
	int n = 0, len = 0;
	const char *pattern = argc > 2 ? argv[2] : "";

	for (char *words = strtok(argv[1], "|"); words; words = strtok(NULL, "|"))
		strncpy(threads[n++].words, words, sizeof(threads[0].words) - 1);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i].id, NULL, run, &threads[i]);
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i].id, NULL);
		for (int k = 0; k < threads[i].n; k++)
			outcome[len++] = (char)('0' + threads[i].read[k]);
	}
	outcome[len++] = '/';
	for (int i = 0; i < 3; i++)
		outcome[len++] = (char)('0' + load(&at[i], 's'));
	if (argc == 2)
		printf("%.*s\n", len, outcome);
	for (int i = 0; pattern[i]; i++) {
		if (pattern[i] != '*' && pattern[i] != outcome[i])
			return 0;
	}
	return argc > 2 ? 3 : 0;
}
