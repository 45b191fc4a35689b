/*
 * Hash table: two threads insert and look up under a few striped locks, so that
 * scattered small accesses alternate with synchronisation.
 *
 *   hash_table [OPERATIONS]      a thread; prints what is in the table at the end
 *
 * Both threads add to the same keys, and addition commutes: the end does not
 * depend on the schedule.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 4096u
#ifndef STRIPES
#define STRIPES 16u
#endif
#define KEYS	16384u

struct entry {
	struct entry *next;
	uint64_t key, count;
};

static struct entry *bucket[BUCKETS];
static pthread_mutex_t stripe[STRIPES];
static size_t operations;

struct worker {
	uint64_t random, found;
};

static uint64_t hash(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15ull;
	return key ^ (key >> 32);
}

static struct entry *find(uint64_t key, size_t b)
{
	struct entry *e = bucket[b];

	while (e && e->key != key)
		e = e->next;
	return e;
}

static void add(uint64_t key)
{
	size_t b = hash(key) % BUCKETS;
	struct entry *e;

	pthread_mutex_lock(&stripe[b % STRIPES]);
	e = find(key, b);
	if (!e) {
		e = malloc(sizeof(*e));
		if (!e)
			abort();
		*e = (struct entry){bucket[b], key, 0};
		bucket[b] = e;
	}
	e->count++;
	pthread_mutex_unlock(&stripe[b % STRIPES]);
}

static int present(uint64_t key)
{
	size_t b = hash(key) % BUCKETS;
	int yes;

	pthread_mutex_lock(&stripe[b % STRIPES]);
	yes = find(key, b) != NULL;
	pthread_mutex_unlock(&stripe[b % STRIPES]);
	return yes;
}

/* A key that this thread has added is there, whatever the other one does. */
static void *work(void *arg)
{
	struct worker *w = arg;

	for (size_t i = 0; i < operations; i++) {
		uint64_t key;

		w->random = w->random * 6364136223846793005ull + 1442695040888963407ull;
		key = (w->random >> 33) % KEYS;
		add(key);
		w->found += (uint64_t)present(key);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker worker[2] = {{1, 0}, {2, 0}};
	uint64_t entries = 0, sum = 0;
	pthread_t thread[2];

	operations = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	for (unsigned i = 0; i < STRIPES; i++)
		pthread_mutex_init(&stripe[i], NULL);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, &worker[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (unsigned b = 0; b < BUCKETS; b++) {
		for (struct entry *e = bucket[b], *next; e; e = next) {
			next = e->next;
			entries++;
			sum += e->key * e->count;
			free(e);
		}
	}
	printf("hash_table %zu: %llu entries, sum %llu, found %llu\n", operations,
	       (unsigned long long)entries, (unsigned long long)sum,
	       (unsigned long long)(worker[0].found + worker[1].found));
	return 0;
}
