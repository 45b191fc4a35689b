/*
 * Threads that begin alike: equal_script GROUP... Each argument is one group: how many threads, and what each of them does, one
 * letter and a digit (of a variable) at a time. The main thread does what comes after a slash in the last one. Each adds a digest
 * of all that it was told to one sum, so what a group has come to is known, and not who has come to what.
 *
 *   r load   w store 1   a add 1 and look   u add 1   c swap 0 for 1   x exchange for 2
 *   i load, and leave the next one out if it is 0   l, k take and give back a lock   p, q read and write a plain variable
 *   s wait for a semaphore   v post it   t try for a lock, and give it back
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST  16
#define THINGS 4

atomic_int v0, v1, v2, v3;
int plain[THINGS];
atomic_uint digest;

static atomic_int *const v[THINGS] = { &v0, &v1, &v2, &v3 };
static pthread_mutex_t locks[THINGS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
					 PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static sem_t semaphores[THINGS];

static int swap(int n)
{
	int old = 0;

	return atomic_compare_exchange_strong(v[n], &old, 1) ? 7 : old;
}

static int try_lock(int n)
{
	int rc = pthread_mutex_trylock(&locks[n]);

	if (!rc)
		pthread_mutex_unlock(&locks[n]);
	return rc != 0;
}

static int do_one(char what, int n)
{
	switch (what) {
	case 'r':
	case 'i':
		return atomic_load(v[n]);
	case 'w':
		atomic_store(v[n], 1);
		return 0;
	case 'a':
		return atomic_fetch_add(v[n], 1);
	case 'u':
		atomic_fetch_add(v[n], 1);
		return 0;
	case 'c':
		return swap(n);
	case 'x':
		return atomic_exchange(v[n], 2);
	case 'l':
		return pthread_mutex_lock(&locks[n]);
	case 'k':
		return pthread_mutex_unlock(&locks[n]);
	case 'p':
		return plain[n];
	case 'q':
		plain[n]++;
		return 0;
	case 's':
		return sem_wait(&semaphores[n]);
	case 'v':
		return sem_post(&semaphores[n]);
	case 't':
		return try_lock(n);
	}
	return 0;
}

static void *run(void *arg)
{
	unsigned past = 1;

	for (const char *at = arg; *at && *at != '/'; at += 2) {
		int told = do_one(at[0], at[1] - '0');

		past = past * 31 + (unsigned)told;
		if (at[0] == 'i' && !told && at[2] && at[2] != '/')
			at += 2;
	}
	atomic_fetch_add(&digest, past * past);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int n = 0;

	for (int i = 0; i < THINGS; i++)
		sem_init(&semaphores[i], 0, 0);
	for (int g = 1; g < argc; g++) {
		for (int i = 0; i < atoi(argv[g]); i++)
			pthread_create(&threads[n++], NULL, run, argv[g] + 1);
	}
	if (argc > 1 && strchr(argv[argc - 1], '/'))
		run(strchr(argv[argc - 1], '/') + 1);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
