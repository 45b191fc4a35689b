/*
 * Waits, but not for ever, until there is something on a list, and looks again when it takes it in
 * another critical section. Compare check_then_act.c, which does not look again.
 *
 * EXPECT: none
 */
#include "../pair.h"

#define ITEMS 12

struct item {
	struct item *next;
};

static struct item *list;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static struct item items[ITEMS];
static const struct timespec far = { 1L << 40, 0 };

static void give(struct item *i)
{
	LOCK(m);
	i->next = list;
	list = i;
	pthread_cond_signal(&some);
	UNLOCK(m);
}

static void a(void)
{
	for (int i = 0; i < ITEMS; i++)
		give(&items[i]);
}

static void b(void)
{
	for (int n = 0; n < ITEMS;) {
		int late = 0;

		LOCK(m);
		while (!list && !late)
			late = pthread_cond_timedwait(&some, &m, &far) != 0;
		UNLOCK(m);
		if (late)
			return;
		LOCK(m);
		if (list) {
			list = list->next;
			n++;
		}
		UNLOCK(m);
	}
}
