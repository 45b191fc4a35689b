/* What semaphores and condition variables order between tasks, and what they do not. */
#include <heddle/hj.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sem_t ready, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static int data, after, turn, bad;

static void give(void *arg)
{
	for (int i = 0; i < 20; i++) {
		sem_wait(&room);
		data = i;
		sem_post(&ready);
		if (bad)
			after = i;
	}
}

static void take(void *arg)
{
	long sum = 0;

	for (int i = 0; i < 20; i++) {
		sem_wait(&ready);
		sum += data + after;
		sem_post(&room);
	}
	if (!bad && sum != 190)
		abort();
}

static void player(void *arg)
{
	long me = (long)arg;

	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		while (turn % 3 != me)
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
		data++; /* it is its turn: nobody else's */
		if (bad)
			after += i;
		pthread_mutex_lock(&lock);
		turn++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		if (bad)
			after += i;
	}
}

static void late(void *arg)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	pthread_mutex_lock(&lock);
	if (!pthread_cond_timedwait(&never, &lock, &t))
		abort();
	pthread_mutex_unlock(&lock);
}

static void semaphores(void *arg)
{
	sem_init(&ready, 0, 0);
	sem_init(&room, 0, 1);
	HJ_FINISH
	{
		hj_async(take, NULL);
		hj_async(give, NULL);
	}
}

static void conditions(void *arg)
{
	HJ_FINISH
	{
		for (long i = 0; i < 3; i++)
			hj_async(player, (void *)i);
		hj_async(late, NULL);
	}
	if (data != 30)
		abort();
}

int main(int argc, char **argv)
{
	bad = argc > 2;
	hj_launch(!strcmp(argv[1], "semaphores") ? semaphores : conditions, NULL);
	return 0;
}
