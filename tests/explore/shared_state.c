/*
 * States of libc and of the process that two threads use: the order matters, though no memory of the program's shows it.
 * test_shared_state.py says which ends each case has.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int a, b, c; /* not static, so that they stay */
static FILE *stream;
static int fd, ends[2];
static pthread_t third;

/* Which number of the sequence it is, from 1. */
static int place_of(int drawn)
{
	int place = 0;

	srand(1);
	while (place++ < 10) {
		if (rand() == drawn)
			return place;
	}
	return 0;
}

static int drawn[3];

static void *draw_two(void *arg)
{
	drawn[0] = rand();
	drawn[1] = rand();
	return arg;
}

static void *draw_one(void *arg)
{
	drawn[2] = rand();
	return arg;
}

static void after_draws(void)
{
	a = place_of(drawn[0]);
	b = place_of(drawn[1]);
	c = place_of(drawn[2]);
}

static void *mask_7(void *arg)
{
	umask(7);
	a = umask(7);
	return arg;
}

static void *mask_70(void *arg)
{
	umask(070);
	return arg;
}

static void open_file(void)
{
	char name[] = "shared-XXXXXX";

	fd = mkstemp(name);
	unlink(name);
	if (write(fd, "12345", 5) != 5)
		abort();
	lseek(fd, 0, SEEK_SET);
}

static void *seek_2(void *arg)
{
	lseek(fd, 2, SEEK_SET);
	return arg;
}

static void *read_byte(void *arg)
{
	char byte;

	if (read(fd, &byte, 1) == 1)
		a = byte - '0';
	return arg;
}

static void open_stream(void)
{
	static char text[] = "12345";

	stream = fmemopen(text, 5, "r");
}

static void *get_two(void *arg)
{
	a = fgetc(stream) - '0';
	b = fgetc(stream) - '0';
	return arg;
}

static void *get_one(void *arg)
{
	c = fgetc(stream) - '0';
	return arg;
}

static void open_pipe(void)
{
	if (pipe(ends))
		abort();
}

static void *write_3(void *arg)
{
	return write(ends[1], "abc", 3) == 3 ? arg : NULL;
}

static void *count_bytes(void *arg)
{
	ioctl(ends[0], FIONREAD, &a);
	return arg;
}

static void *no_wait(void *arg)
{
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return arg;
}

static void *see_flags(void *arg)
{
	a = (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0;
	return arg;
}

static void *copy_a(void *arg)
{
	a = dup(0);
	return arg;
}

static void *copy_b(void *arg)
{
	b = dup(0);
	return arg;
}

static void after_copies(void)
{
	int base = a < b ? a : b;

	a -= base;
	b -= base;
}

static void *set_name(void *arg)
{
	pthread_setname_np(third, "x");
	return arg;
}

static void *get_name(void *arg)
{
	char name[16];

	pthread_getname_np(third, name, sizeof(name));
	a = !strcmp(name, "x");
	return arg;
}

static void third_is_main(void)
{
	third = pthread_self();
}

static void *ends_at_once(void *arg)
{
	return arg;
}

static void make_third(void)
{
	pthread_create(&third, NULL, ends_at_once, NULL);
}

static void *join_third(void *arg)
{
	pthread_join(third, NULL);
	return arg;
}

static void *detach_third(void *arg)
{
	pthread_detach(third);
	return arg;
}

static void exit_with_1(void)
{
	_exit(1);
}

static void exit_with_2(void)
{
	_exit(2);
}

static void *register_1(void *arg)
{
	atexit(exit_with_1);
	return arg;
}

static void *register_2(void *arg)
{
	atexit(exit_with_2);
	return arg;
}

static void *close_it(void *arg)
{
	close(fd);
	return arg;
}

/* The new file has the number of the old one: the other thread may close it. */
static void *close_and_open(void *arg)
{
	close(fd);
	a = open("/proc/self/exe", O_RDONLY) == fd;
	return arg;
}

static void *change_folder(void *arg)
{
	if (chdir("/"))
		abort();
	return arg;
}

/* The good twins: each thread has a state of its own, or a join orders them. */
static void *draw_own(void *arg)
{
	unsigned seed = 1;

	rand_r(&seed);
	return arg;
}

static void draw_before(void)
{
	srand(1);
	a = rand() != rand();
}

static const struct {
	const char *name;
	void (*before)(void);
	void *(*threads[2])(void *);
	void (*after)(void);
} cases[] = {
	{ "rand", NULL, { draw_two, draw_one }, after_draws },
	{ "umask", NULL, { mask_7, mask_70 } },
	{ "lseek", open_file, { seek_2, read_byte } },
	{ "file", open_stream, { get_two, get_one } },
	{ "bytes", open_pipe, { write_3, count_bytes } },
	{ "flags", open_pipe, { no_wait, see_flags } },
	{ "dup", NULL, { copy_a, copy_b }, after_copies },
	{ "name", third_is_main, { set_name, get_name } },
	{ "join", make_third, { join_third, detach_third } },
	{ "atexit", NULL, { register_1, register_2 } },
	{ "folder", NULL, { change_folder, ends_at_once } },
	{ "close", open_file, { close_it, close_and_open } },
	{ "own-close", open_file, { close_it, ends_at_once } },
	{ "own-file", open_stream, { get_two, ends_at_once } },
	{ "own", draw_before, { draw_own, draw_own } },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pthread_t t[2];

		if (argc < 2 || strcmp(argv[1], cases[i].name))
			continue;
		if (cases[i].before)
			cases[i].before();
		for (int k = 0; k < 2; k++)
			pthread_create(&t[k], NULL, cases[i].threads[k], NULL);
		for (int k = 0; k < 2; k++)
			pthread_join(t[k], NULL);
		if (cases[i].after)
			cases[i].after();
	}
	return 0;
}
