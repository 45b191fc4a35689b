/*
 * An entry of a log is written through a pointer to it, and the index advanced in the next critical section. GOOD: in the
 * same.
 *
 * EXPECT: extended-race journal.n
 * PART
 * ALWAYS: gcc-O0
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static struct journal {
	pthread_mutex_t lock;
	int n;
	struct entry {
		int who, what;
	} entries[16];
} journal = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void note(struct journal *j, int who, int what)
{
	struct entry *e;

	pthread_mutex_lock(&j->lock);
	e = &j->entries[j->n];
	e->who = who;
	e->what = what;
#ifndef GOOD
	pthread_mutex_unlock(&j->lock);
	pthread_mutex_lock(&j->lock);
#endif
	j->n++;
	pthread_mutex_unlock(&j->lock);
}

static void *writer(void *number)
{
	for (int i = 0; i < 3; i++)
		note(&journal, (int)(intptr_t)number, i);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, writer, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", journal.n);
	return 0;
}
