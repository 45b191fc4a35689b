/*
 * Where the second lock is not to be had, the thread leaves without giving back the first.
 *
 * FAILS: deadlock
 * CAUSE: mutex 'b'
 * REMEDY: none
 */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *one(void *x)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	done++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return x;
}

static void *two(void *x)
{
	pthread_mutex_lock(&b);
	if (pthread_mutex_trylock(&a)) {
#ifdef FIXED
		pthread_mutex_unlock(&b);
#endif
		return x;
	}
	done++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, one, 0);
	pthread_create(&t, 0, two, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return done < 1;
}
