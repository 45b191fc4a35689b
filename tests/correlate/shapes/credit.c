/*
 * Credit is looked at in one section, a message counted as queued in the next; to revoke is to clear
 * both. GOOD: one section.
 *
 * EXPECT: extended-race link.credit link.queued
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct link {
	pthread_mutex_t lock;
	int credit;
	int queued;
};

static struct link link = { PTHREAD_MUTEX_INITIALIZER, 3, 0 };

static bool has_credit(struct link *l)
{
	bool yes;

	pthread_mutex_lock(&l->lock);
	yes = l->credit > 0;
	pthread_mutex_unlock(&l->lock);
	return yes;
}

static void *sender(void *arg)
{
	struct link *l = arg;

#ifdef GOOD
	pthread_mutex_lock(&l->lock);
	if (l->credit > 0)
		l->queued++;
	pthread_mutex_unlock(&l->lock);
#else
	if (has_credit(l)) {
		pthread_mutex_lock(&l->lock);
		l->queued++;
		pthread_mutex_unlock(&l->lock);
	}
#endif
	return NULL;
}

static void *revoker(void *arg)
{
	struct link *l = arg;

	pthread_mutex_lock(&l->lock);
	l->credit = 0;
	l->queued = 0;
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

int main(void)
{
	pthread_t s, r;

	pthread_create(&s, NULL, sender, &link);
	pthread_create(&r, NULL, revoker, &link);
	pthread_join(s, NULL);
	pthread_join(r, NULL);
	return has_credit(&link) ? EXIT_FAILURE : EXIT_SUCCESS;
}
