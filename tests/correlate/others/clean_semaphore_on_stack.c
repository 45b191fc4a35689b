/*
 * A semaphore of the program's own, a lock and a count, is on the first thread's stack. That thread takes from it several times before
 * the other gives something back; each time it looks. Nothing is stale.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

struct semaphore {
	pthread_mutex_t lock;
	pthread_cond_t more;
	int count;
};

__attribute__((noinline)) static void wait_for(struct semaphore *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->count == 0)
		pthread_cond_wait(&s->more, &s->lock);
	s->count--;
	pthread_mutex_unlock(&s->lock);
}

static void give(struct semaphore *s)
{
	pthread_mutex_lock(&s->lock);
	s->count++;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
}

static void *giver(void *s)
{
	for (volatile int late = 0; late < 600000; late++)
		; /* the other one takes first */
	for (int i = 0; i < 6; i++)
		give(s);
	return NULL;
}

int main(void)
{
	struct semaphore s = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 3 };
	pthread_t thread;

	pthread_create(&thread, NULL, giver, &s);
	for (int i = 0; i < 5; i++)
		wait_for(&s);
	for (int i = 0; i < 4; i++)
		wait_for(&s);
	pthread_join(thread, NULL);
	printf("%d\n", s.count);
	return 0;
}
