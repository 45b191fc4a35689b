/*
 * usage: rwlock_script RESULT SCRIPT...
 *
 * A thread for each SCRIPT uses one read-write lock that prefers writers: r and w lock it, u unlocks it, t and T try to
 * lock it for reading or writing, and unlock it again if that succeeds. What the tries of a thread gave are two bits
 * of a number, which must not be RESULT in the end.
 *
 * EXPECT of heddle explore: an assertion if an order leads to RESULT, and a deadlock if one does; test_rwlock.py
 * knows which.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS	   3
#define TRIES_BITS 2

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int result[THREADS];

struct script {
	const char *text;
	int *result;
};

static int was_free(int error)
{
	if (!error)
		pthread_rwlock_unlock(&lock);
	return !error;
}

static void *follow(void *arg)
{
	const struct script *s = arg;
	int tries = 0;

	for (const char *p = s->text; *p; p++) {
		if (*p == 'r')
			pthread_rwlock_rdlock(&lock);
		else if (*p == 'w')
			pthread_rwlock_wrlock(&lock);
		else if (*p == 'u')
			pthread_rwlock_unlock(&lock);
		else if (*p == 't')
			*s->result |= was_free(pthread_rwlock_tryrdlock(&lock)) << tries++;
		else
			*s->result |= was_free(pthread_rwlock_trywrlock(&lock)) << tries++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct script scripts[THREADS];
	pthread_t threads[THREADS];
	int n = argc - 2, all = 0;

	assert(n > 0 && n <= THREADS);
	for (int i = 0; i < n; i++) {
		scripts[i] = (struct script){ argv[2 + i], &result[i] };
		pthread_create(&threads[i], NULL, follow, &scripts[i]);
	}
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
		all |= result[i] << (TRIES_BITS * i);
	}
	assert(all != atoi(argv[1]));
	return 0;
}
