/*
 * A question and its answer; the answer is read too early. GOOD: after it has come.
 *
 * EXPECT: race answer
 */
#include "../pair.h"

static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int asked, answered, answer;

static void a(void)
{
	int seen;

	LOCK(m);
	asked = 1;
	pthread_cond_broadcast(&c);
#ifdef GOOD
	while (!answered)
		pthread_cond_wait(&c, &m);
#endif
	UNLOCK(m);
	seen = answer;
	if (seen > 9)
		puts("many");
}

static void b(void)
{
	LOCK(m);
	while (!asked)
		pthread_cond_wait(&c, &m);
	UNLOCK(m);
	answer = 7;
	LOCK(m);
	answered = 1;
	pthread_cond_broadcast(&c);
	UNLOCK(m);
}
