/*
 * Writes at random over memory that it shares with others, by code without hooks: over the first such mapping, the
 * second and so on, as the second argument says. Correct but for that.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

__attribute__((no_sanitize("thread"))) static void overwrite(uintptr_t from, uintptr_t to,
							     uint64_t seed)
{
	for (uintptr_t at = from; at < to && at < from + (1u << 16); at += 8) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 60 < 4) /* most of it stays */
			*(volatile uint64_t *)at = seed >> 33 & 1 ? seed : seed & 0xff00ff0000ffff;
	}
}

int main(int argc, char **argv)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to, first[16], last[16];
	char line[512], mode[8];
	int n = 0, which = atoi(argv[2]);
	pthread_t thread;

	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && mode[1] == 'w' &&
		    mode[3] == 's' && n < 16) {
			first[n] = from;
			last[n++] = to;
		}
	}
	fclose(maps);
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	if (which < n)
		overwrite(first[which], last[which], strtoul(argv[1], NULL, 10));
	pthread_join(thread, NULL);
	return 0;
}
