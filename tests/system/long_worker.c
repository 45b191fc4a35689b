/*
 * Two threads work under a lock for a while; then one writes the process's number to
 * standard output, reads a byte if told so (argument "wait"), and they work on: for
 * ever, or for a while and to the end (argument "end").
 */
#include "../programs/program.h"

#define ROUNDS 400000

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static uint64_t cells[4096], state = 1;
static int for_ever = 1, wait_for_byte;

static void work(void)
{
	pthread_mutex_lock(&m);
	state = state * 6364136223846793005u + 1442695040888963407u;
	cells[(state >> 40) % 4096] = state;
	pthread_mutex_unlock(&m);
}

static void tell_and_wait(void)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (write(1, text, (size_t)len) != len)
		abort();
	if (wait_for_byte && read(0, text, 1) != 1)
		abort();
}

static void *worker(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		work();
	if (arg)
		tell_and_wait();
	for (int i = 0; for_ever || i < ROUNDS; i++)
		work();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t, u;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "end") == 0)
			for_ever = 0;
		else if (strcmp(argv[i], "wait") == 0)
			wait_for_byte = 1;
	}
	t = start(worker, NULL);
	u = start(worker, &m);
	finish(t);
	finish(u);
	printf("done\n");
	return 0;
}
