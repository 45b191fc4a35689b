/*
 * What `heddle check` is tested on: a small program for each way to fail and each verdict.
 *
 *   checked SCENARIO          with the error
 *   checked SCENARIO fixed    its twin without
 *
 * Two threads each, no data races (but in `race`). The errors need a preemption at one place;
 * when threads run one after the other, in either order, nothing goes wrong.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <heddle/heddle.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int fixed;

/* So much to do elsewhere that a random schedule hardly ever gets to what comes after it in time. */
static void work(void)
{
	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&other);
		pthread_mutex_unlock(&other);
	}
}

/* The lock is given up in the middle, unless that is fixed. */
static void gap(void)
{
	if (fixed)
		return;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
}

/* ---- an account: a deposit gets lost ------------------------------------------- */

static int balance = 100;

static void *deposit(void *late)
{
	if (late)
		work();
	pthread_mutex_lock(&lock);
	int now = balance; /* looks */
	gap();
	balance = now + (late ? 7 : 50); /* stores */
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void both(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, "late");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

static int by_assert(void)
{
	both(deposit, deposit);
	assert(balance == 157);
	return 0;
}

static int by_exit(void)
{
	both(deposit, deposit);
	return balance == 157 ? 0 : 3;
}

static int by_output(void)
{
	both(deposit, deposit);
	printf("balance %d\n", balance);
	return 0;
}

/* Its output is different each time, so only an oracle can tell. */
static int by_oracle(void)
{
	both(deposit, deposit);
	printf("process %d: balance %d\n", (int)getpid(), balance);
	return 0;
}

/* It fails however it is run. */
static int always(void)
{
	both(deposit, deposit);
	assert(fixed || balance == 0);
	return 0;
}

/* ---- a pointer that goes away between the look and the use ----------------------- */

static int cell = 5, *pointer = &cell, sum;

static void *use(void *unused)
{
	pthread_mutex_lock(&lock);
	if (pointer) { /* looks */
		gap();
		sum += *pointer; /* uses */
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *take_away(void *unused)
{
	work();
	pthread_mutex_lock(&lock);
	pointer = NULL; /* takes */
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int by_crash(void)
{
	both(use, take_away);
	return 0;
}

/* ---- locks in both orders ------------------------------------------------------- */

static void *forth(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&other);
	sum++;
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *back(void *unused)
{
	if (fixed)
		return forth(unused);
	pthread_mutex_lock(&other);
	pthread_mutex_lock(&lock);
	sum++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&other);
	return NULL;
}

static int by_deadlock(void)
{
	both(forth, back);
	return 0;
}

/* ---- a race that locks hide unless the threads are stopped between them --------------- */

static int shared;

static void pass(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void *write_between(void *late)
{
	if (late)
		work();
	pass();
	if (fixed)
		pthread_mutex_lock(&lock);
	shared = late ? 2 : 1;
	if (fixed)
		pthread_mutex_unlock(&lock);
	pass();
	return NULL;
}

static int by_race(void)
{
	both(write_between, write_between);
	return shared == 0;
}

/* ---- torn without visible failure ------------------------------------------------------- */

static int level;

static void *look_twice(void *unused)
{
	pthread_mutex_lock(&lock);
	int first = level;
	gap();
	int second = level;
	pthread_mutex_unlock(&lock);
	return first == second ? NULL : &level; /* which nobody looks at */
}

static void *raise_level(void *unused)
{
	work();
	pthread_mutex_lock(&lock);
	level++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int torn(void)
{
	both(look_twice, raise_level);
	return 0;
}

/* The same in a block that is declared to be atomic. */
static void *look_atomically(void *unused)
{
	HEDDLE_ATOMIC
	{
		look_twice(unused);
	}
	return NULL;
}

static int declared(void)
{
	both(look_atomically, raise_level);
	return 0;
}

/* A declared block that is why the program fails. */
static void *deposit_atomically(void *late)
{
	HEDDLE_ATOMIC
	{
		deposit(late);
	}
	return NULL;
}

static int declared_cause(void)
{
	both(deposit_atomically, deposit_atomically);
	assert(balance == 157);
	return 0;
}

/* And one that is not: `raised' is seen set, whether or not the block before that is torn. */
static int raised;

static void set_raised(int to)
{
	pthread_mutex_lock(&lock);
	raised = to;
	pthread_mutex_unlock(&lock);
}

static void *look_then_ask(void *unused)
{
	look_atomically(unused);
	if (fixed)
		return NULL;
	pthread_mutex_lock(&lock);
	assert(!raised);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *raise_for_a_while(void *unused)
{
	work();
	set_raised(1);
	raise_level(unused);
	set_raised(0);
	return NULL;
}

static int declared_beside(void)
{
	both(look_then_ask, raise_for_a_while);
	return 0;
}

/* ---- two variables that belong together ---------------------------------------------------- */

static int low = 1, high = 2;

static void *widen(void *unused)
{
	pthread_mutex_lock(&lock);
	low--;
	gap();
	high++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *measure(void *unused)
{
	work();
	pthread_mutex_lock(&lock);
	int width = high - low;
	pthread_mutex_unlock(&lock);
	return width % 2 ? NULL : &low;
}

static int group(void)
{
	both(widen, measure);
	return 0;
}

/* ---- what locks allow and values do not ------------------------------------------------------- */

static int ready;

static void *look_twice_then_say(void *unused)
{
	look_twice(unused);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *raise_when_ready(void *unused)
{
	pthread_mutex_lock(&lock);
	if (ready) /* asks */
		level++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int excluded(void)
{
	both(look_twice_then_say, raise_when_ready);
	return 0;
}

/* ---- a program that is never the same again ------------------------------------------------------ */

static __attribute__((noinline)) void first_time(void)
{
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
}

static int moody(void)
{
	FILE *file = fixed ? NULL : fopen("moody", "r");

	if (file)
		fclose(file);
	else
		first_time();
	if (!fixed) /* behind heddle's back, or it would be put back */
		syscall(SYS_close,
			syscall(SYS_openat, AT_FDCWD, "moody", O_WRONLY | O_CREAT, 0644));
	both(look_twice, raise_level);
	return 0;
}

/* ---- input ------------------------------------------------------------------------------------- */

/* The first line is how often to go round; each run must get it from the start. */
static int reads_input(void)
{
	int rounds = 0;

	if (scanf("%d", &rounds) != 1)
		return 9;
	for (int i = 0; i < rounds; i++)
		first_time();
	both(deposit, deposit);
	printf("%d rounds, balance %d\n", rounds, balance);
	return 0;
}

/* ---- no end ------------------------------------------------------------------------------------ */

static int hang(void)
{
	FILE *file = fopen("began", "w");

	if (file)
		fclose(file);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} all[] = {
		{ "assert", by_assert },
		{ "exit", by_exit },
		{ "output", by_output },
		{ "oracle", by_oracle },
		{ "always", always },
		{ "crash", by_crash },
		{ "deadlock", by_deadlock },
		{ "race", by_race },
		{ "torn", torn },
		{ "declared", declared },
		{ "group", group },
		{ "excluded", excluded },
		{ "declared-cause", declared_cause },
		{ "declared-beside", declared_beside },
		{ "moody", moody },
		{ "input", reads_input },
		{ "hang", hang },
	};

	fixed = argc > 2 && !strcmp(argv[2], "fixed");
	for (unsigned i = 0; argc > 1 && i < sizeof(all) / sizeof(all[0]); i++) {
		if (!strcmp(argv[1], all[i].name))
			return all[i].run();
	}
	return 2;
}
