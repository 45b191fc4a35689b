/*
 * A message is handed over by an atomic pointer, and an answer by another.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct message {
	int a, b;
};

static _Atomic(struct message *) box, answer;

static void *server(void *arg)
{
	struct message *m;

	while (!(m = atomic_exchange(&box, NULL)))
		sched_yield();
	m->a += m->b;
	atomic_exchange(&answer, m);
	return arg;
}

int main(void)
{
	pthread_t t;
	struct message *m = malloc(sizeof(*m));

	pthread_create(&t, NULL, server, NULL);
	m->a = 1;
	m->b = 2;
	atomic_exchange(&box, m);
	while (!(m = atomic_exchange(&answer, NULL)))
		sched_yield();
	printf("%d\n", m->a);
	pthread_join(t, NULL);
	free(m);
	return 0;
}
