/*
 * Asserts that nothing of an earlier execution is left, then changes something: memory, the heap, a
 * mapping, a descriptor, the folder, the file mask, signals, the name. Three threads each add to a
 * counter, so that there are six executions at least. With a second argument they do so twice, 90 executions, and one
 * of them makes the change in between: that is behind a place in the middle that executions may begin at.
 *
 * EXPECT of heddle explore: nothing.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HIGH  77
#define BYTES (1u << 20)

static atomic_int count;
static char used[1 << 16];
static char *before; /* mapped before main */

__attribute__((constructor)) static void map_before(void)
{
	before = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	before[0] = 'b';
}

static void change_memory(void)
{
	for (size_t i = 0; i < sizeof(used); i += 512)
		assert(!used[i]++);
	assert(before[0] == 'b');
	before[0] = 'a';
}

static void change_heap(void)
{
	static void *top;

	assert(!top);
	top = malloc(3 * BYTES / 16);
	memset(top, 1, 3 * BYTES / 16);
}

static void change_mapping(void)
{
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert(p != MAP_FAILED && !p[BYTES / 2]);
	p[BYTES / 2] = 1;
}

static void change_unmapping(void)
{
	assert(before[0] == 'b');
	assert(munmap(before, BYTES) == 0);
}

static void change_descriptor(void)
{
	int fds[2];

	assert(fcntl(4, F_GETFD) < 0);
	assert(pipe(fds) == 0);
}

static void change_high_descriptor(void)
{
	assert(fcntl(HIGH, F_GETFD) < 0);
	assert(dup2(1, HIGH) == HIGH);
}

static void change_folder(void)
{
	char path[4096];

	assert(getcwd(path, sizeof(path)) && strcmp(path, "/") != 0);
	assert(chdir("/") == 0);
}

static void change_mask(void)
{
	assert(umask(0135) != 0135);
}

static void change_handler(void)
{
	struct sigaction act = { .sa_handler = SIG_IGN }, old;

	assert(sigaction(SIGUSR1, &act, &old) == 0 && old.sa_handler == SIG_DFL);
}

static void change_blocked(void)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	assert(pthread_sigmask(SIG_BLOCK, &set, &old) == 0 && !sigismember(&old, SIGUSR2));
}

static void change_name(void)
{
	char name[16];

	assert(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
	assert(strcmp(name, "renamed") != 0);
	assert(pthread_setname_np(pthread_self(), "renamed") == 0);
}

static void change_file(void)
{
	FILE *file = tmpfile();

	assert(file && fputs("kept", file) >= 0 && fileno(file) < 5);
}

static void (*change)(void);
static bool late;

static void *add(void *arg)
{
	atomic_fetch_add(&count, 1);
	if (arg)
		change();
	if (late)
		atomic_fetch_add(&count, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*change)(void);
	} what[] = {
		{ "memory", change_memory },
		{ "heap", change_heap },
		{ "mapping", change_mapping },
		{ "unmapping", change_unmapping },
		{ "descriptor", change_descriptor },
		{ "high_descriptor", change_high_descriptor },
		{ "folder", change_folder },
		{ "mask", change_mask },
		{ "handler", change_handler },
		{ "blocked", change_blocked },
		{ "name", change_name },
		{ "file", change_file },
	};
	pthread_t threads[3];

	for (size_t i = 0; argc > 1 && i < sizeof(what) / sizeof(*what); i++) {
		if (!strcmp(argv[1], what[i].name))
			change = what[i].change;
	}
	late = argc > 2;
	if (change && !late)
		change();
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add, change && late && i == 1 ? &late : NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(count == (late ? 6 : 3));
	return 0;
}
