/*
 * Uses an object through the functions of another type, as the argument says; or, with one that begins with "fine",
 * uses the same memory for one type after the other, as is allowed.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static union {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	pthread_spinlock_t spin;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	sem_t sem;
} one;

static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER;

static void use_mutex(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
	pthread_mutex_unlock(m);
}

static void use_rwlock(pthread_rwlock_t *l)
{
	pthread_rwlock_wrlock(l);
	pthread_rwlock_unlock(l);
	pthread_rwlock_rdlock(l);
	pthread_rwlock_unlock(l);
}

static void wrong(const char *what)
{
	if (!strcmp(what, "lock-mutex-as-rwlock")) {
		pthread_mutex_init(&one.mutex, NULL);
		pthread_rwlock_wrlock(&one.rwlock);
	} else if (!strcmp(what, "unlock-mutex-as-rwlock")) {
		pthread_mutex_lock(&fixed);
		pthread_rwlock_unlock((pthread_rwlock_t *)&fixed);
	} else if (!strcmp(what, "unlock-mutex-as-spin")) {
		pthread_mutex_lock(&fixed);
		pthread_spin_unlock((pthread_spinlock_t *)&fixed);
	} else if (!strcmp(what, "post-mutex-as-sem")) {
		use_mutex(&fixed);
		sem_post((sem_t *)&fixed);
	} else if (!strcmp(what, "signal-mutex-as-cond")) {
		use_mutex(&fixed);
		pthread_cond_signal((pthread_cond_t *)&fixed);
	} else if (!strcmp(what, "unlock-rwlock-as-mutex")) {
		pthread_rwlock_init(&one.rwlock, NULL);
		pthread_rwlock_rdlock(&one.rwlock);
		pthread_mutex_unlock(&one.mutex);
	} else if (!strcmp(what, "try-sem-as-mutex")) {
		sem_init(&one.sem, 0, 1);
		pthread_mutex_trylock(&one.mutex);
	} else if (!strcmp(what, "post-barrier-as-sem")) {
		pthread_barrier_init(&one.barrier, NULL, 2);
		sem_post(&one.sem);
	} else if (!strcmp(what, "destruction-mutex-as-barrier")) {
		use_mutex(&fixed);
		pthread_barrier_destroy((pthread_barrier_t *)&fixed);
	} else if (!strcmp(what, "destruction-mutex-as-cond")) {
		use_mutex(&fixed);
		pthread_cond_destroy((pthread_cond_t *)&fixed);
	}
}

/* One after the other, in the same place: destroyed, cleared or made anew. */
static void fine(const char *what)
{
	void *block = malloc(sizeof(one));

	pthread_mutex_init(&one.mutex, NULL);
	use_mutex(&one.mutex);
	pthread_mutex_destroy(&one.mutex);
	use_rwlock(pthread_rwlock_init(&one.rwlock, NULL) ? NULL : &one.rwlock);
	sem_init(&one.sem, 0, 0); /* nobody has to destroy it first */
	sem_post(&one.sem);
	sem_wait(&one.sem);
	pthread_barrier_init(&one.barrier, NULL, 1);
	pthread_barrier_wait(&one.barrier);
	pthread_cond_init(&one.cond, NULL);
	pthread_cond_signal(&one.cond);
	memset(&one, 0, sizeof(one));
	use_rwlock(&one.rwlock);
	pthread_mutex_init(block, NULL);
	use_mutex(block);
	free(block);
	block = calloc(1, sizeof(one));
	use_rwlock(block);
	free(block);
}

int main(int argc, char **argv)
{
	if (!strcmp(argv[1], "fine"))
		fine(argv[1]);
	else
		wrong(argv[1]);
	puts("end");
	return 0;
}
