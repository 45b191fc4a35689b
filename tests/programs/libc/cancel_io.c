/*
 * A thread that waits in read, poll, sleep or accept can be cancelled there, and its cleanup
 * handlers run.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAYS 4

static int fds[2], pair[2];
static int cleaned[WAYS];

static void note(void *arg)
{
	cleaned[(long)arg] = 1;
}

static void wait_somehow(long way)
{
	struct pollfd p = {fds[0], POLLIN, 0};
	char c;

	switch (way) {
	case 0:
		(void)!read(fds[0], &c, 1);
		break;
	case 1:
		poll(&p, 1, -1);
		break;
	case 2:
		sleep(1000000);
		break;
	default:
		recv(pair[0], &c, 1, 0);
		break;
	}
}

static void *waiter(void *arg)
{
	pthread_cleanup_push(note, arg);
	for (;;)
		wait_somehow((long)arg);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t[WAYS];
	void *result;

	assert(pipe(fds) == 0);
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	for (long i = 0; i < WAYS; i++)
		pthread_create(&t[i], NULL, waiter, (void *)i);
	sleep(1);
	for (int i = 0; i < WAYS; i++)
		assert(pthread_cancel(t[i]) == 0);
	for (int i = 0; i < WAYS; i++) {
		assert(pthread_join(t[i], &result) == 0);
		assert(result == PTHREAD_CANCELED && cleaned[i]);
	}
	return 0;
}
