/*
 * A buffer comes from a pool, or is made if the pool is empty, and goes back to the pool later: before those that others
 * have put there meanwhile, which it leads to.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct space {
	struct space *next;
	long fill;
};

static struct pool {
	pthread_mutex_t lock;
	struct space *head;
	int made;
} pool = { PTHREAD_MUTEX_INITIALIZER, NULL, 0 };

static struct space *get_space(void)
{
	struct space *s;

	pthread_mutex_lock(&pool.lock);
	if (pool.head) {
		s = pool.head;
		pool.head = s->next;
		pthread_mutex_unlock(&pool.lock);
		s->fill = 0;
		return s;
	}
	pool.made++;
	pthread_mutex_unlock(&pool.lock);
	s = malloc(sizeof(*s));
	s->fill = 0;
	return s;
}

static void drop_space(struct space *s)
{
	pthread_mutex_lock(&pool.lock);
	s->next = pool.head;
	pool.head = s;
	pthread_mutex_unlock(&pool.lock);
}

static void *worker(void *arg)
{
	for (int i = 0; i < 4; i++) {
		struct space *a = get_space(), *b = get_space();

		a->fill += i;
		b->fill += a->fill;
		drop_space(a);
		drop_space(b);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", pool.made);
	return 0;
}
