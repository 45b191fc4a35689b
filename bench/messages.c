/*
 * Two threads hand messages on through a ring, with release and acquire: what atomic operations cost
 * under each memory model.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SIZE 64

static int ring[SIZE];
static atomic_int head, tail;

static void *produce(void *arg)
{
	int n = *(int *)arg;

	for (int i = 0; i < n; i++) {
		while (i - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
			sched_yield();
		ring[i % SIZE] = i;
		atomic_store_explicit(&tail, i + 1, memory_order_release);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100000;
	pthread_t t;

	pthread_create(&t, NULL, produce, &n);
	for (int i = 0; i < n; i++) {
		while (atomic_load_explicit(&tail, memory_order_acquire) == i)
			sched_yield();
		if (ring[i % SIZE] != i)
			abort();
		atomic_store_explicit(&head, i + 1, memory_order_release);
	}
	pthread_join(t, NULL);
	return 0;
}
