/*
 * Loops that look at a variable, and besides do something that no memory shows (test_unseen.py):
 *
 *   unseen NAME         waits for a flag, and does NAME in each round; tells whether that was done
 *   unseen NAME -       the same, but nobody sets the flag
 *   unseen NAME FILE    looks at the flag, which nobody sets, and ends by itself, when NAME is at its end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

#define PART __attribute__((noinline))

static atomic_int flag;
static pthread_key_t key;
static FILE *stream;
static int file;
static stack_t alternative;

static void on_signal(int sig)
{
}

/* ---- things that are done once or many times, which makes no difference -------------- */

static PART void set_value(void)
{
	pthread_setspecific(key, &key);
}

static PART int has_value(void)
{
	return pthread_getspecific(key) != NULL;
}

static PART void block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static PART int is_blocked(void)
{
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, SIGUSR1);
}

static PART void forbid_cancel(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

static PART int is_forbidden(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	return state == PTHREAD_CANCEL_DISABLE;
}

static PART void give_stack(void)
{
	sigaltstack(&alternative, NULL);
}

static PART int has_stack(void)
{
	stack_t now;

	sigaltstack(NULL, &now);
	return !(now.ss_flags & SS_DISABLE);
}

static PART void fail(void)
{
	fcntl(-1, F_GETFD);
}

static PART int has_failed(void)
{
	return errno == EBADF;
}

static PART void round_up(void)
{
	_MM_SET_ROUNDING_MODE(_MM_ROUND_UP);
}

static PART int rounds_up(void)
{
	return _MM_GET_ROUNDING_MODE() == _MM_ROUND_UP;
}

static PART void remove_file(void)
{
	unlink("unseen.tmp");
}

static PART int is_removed(void)
{
	return access("unseen.tmp", F_OK) != 0;
}

static PART void grow(void)
{
	if (ftruncate(file, 10) != 0)
		abort();
}

static PART int is_grown(void)
{
	return lseek(file, 0, SEEK_END) == 10;
}

static PART void limit(void)
{
	struct rlimit l;

	getrlimit(RLIMIT_CORE, &l);
	l.rlim_cur = 0;
	l.rlim_max = 4096;
	setrlimit(RLIMIT_CORE, &l);
}

static PART int is_limited(void)
{
	struct rlimit l;

	getrlimit(RLIMIT_CORE, &l);
	return l.rlim_max == 4096;
}

static PART void handle(void)
{
	signal(SIGUSR2, on_signal);
}

static PART int is_handled(void)
{
	return signal(SIGUSR2, SIG_DFL) == on_signal;
}

/* ---- things that come to an end ------------------------------------------------------ */

static PART int next_byte(void)
{
	return fgetc(stream) != EOF;
}

static PART int next_byte_unlocked(void)
{
	return getc_unlocked(stream) != EOF;
}

static PART int next_number(void)
{
	return rand() % 8 != 0;
}

static PART int next_value(void)
{
	char *old = pthread_getspecific(key);

	pthread_setspecific(key, old + 1);
	return old < (char *)5;
}

static PART int next_error(void)
{
	return ++errno < 7;
}

static PART int next_place(void)
{
	return lseek(file, 1, SEEK_CUR) < 6;
}

static atomic_int nobody, knows, them;

/* Time passes for who looks at the clock, however often it looks at other things besides. */
static PART int next_second(void)
{
	static time_t until;

	if (!until)
		until = time(NULL) + 3;
	return !atomic_load(&nobody) && !atomic_load(&knows) && !atomic_load(&them) && time(NULL) < until;
}

static const struct {
	const char *name;
	void (*make)(void);
	int (*is_made)(void);
	int (*next)(void);
} table[] = {
	{ "value", set_value, has_value, next_value },
	{ "mask", block_signal, is_blocked, NULL },
	{ "cancel", forbid_cancel, is_forbidden, NULL },
	{ "stack", give_stack, has_stack, NULL },
	{ "errno", fail, has_failed, next_error },
	{ "round", round_up, rounds_up, NULL },
	{ "name", remove_file, is_removed, NULL },
	{ "size", grow, is_grown, NULL },
	{ "limit", limit, is_limited, NULL },
	{ "handler", handle, is_handled, NULL },
	{ "byte", NULL, NULL, next_byte },
	{ "unlocked", NULL, NULL, next_byte_unlocked },
	{ "rand", NULL, NULL, next_number },
	{ "place", NULL, NULL, next_place },
	{ "time", NULL, NULL, next_second },
};
static unsigned which;

static void *wait_and_make(void *arg)
{
	while (!atomic_load(&flag))
		table[which].make();
	printf("%s\n", table[which].is_made() ? "made" : "not made");
	return arg;
}

static void *go_to_end(void *arg)
{
	while (!atomic_load(&flag) && table[which].next())
		;
	return arg;
}

int main(int argc, char **argv)
{
	static char space[16384];
	bool ends = argc > 2 && argv[2][0] != '-';
	pthread_t thread;

	while (strcmp(table[which].name, argv[1]) != 0)
		which++;
	alternative = (stack_t){ .ss_sp = space, .ss_size = sizeof(space) };
	pthread_key_create(&key, NULL);
	file = memfd_create("unseen", 0);
	close(open("unseen.tmp", O_CREAT | O_RDWR, 0600));
	if (ends)
		stream = fopen(argv[2], "r");
	errno = 0;
	pthread_create(&thread, NULL, ends ? go_to_end : wait_and_make, NULL);
	if (argc == 2)
		atomic_store(&flag, 1);
	pthread_join(thread, NULL);
	return 0;
}
