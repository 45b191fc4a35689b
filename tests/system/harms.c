/*
 * Two threads and one race, whose consequence the first argument chooses; "safe" as the second one
 * puts a lock around everything. What each does follows from reading it:
 *
 *   crash      a pointer that was just looked at is set to NULL: a null dereference
 *   assertion  two increments of which one can get lost, and the sum is asserted
 *   deadlock   who finds the word not yet said waits for ever
 *   memory     a block is written to and freed
 *   exit       the status is what is left of a lost update
 *   output     the number of increments is written
 *   early      what a block has is asserted once it can be found, and set a bit later: that is too late
 *   values     the number of increments is kept, and nobody looks at it
 *   none       both write the same
 *   unknown    what a flag publishes without ordering it: the read comes first in no order of the run
 *   bystander  as assertion, and beside it a counter that nobody looks at
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *what;
static int safe, number = 5, *pointer = &number;
static int sum, notes, said;
static atomic_int flag;
int same; /* nobody reads it: static, it would not be there */
static char *block;
static char *_Atomic found;
static sem_t never;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is(const char *word)
{
	return !strcmp(what, word);
}

static void increment(void)
{
	if (is("bystander"))
		notes++;
	sum++;
}

static void use_pointer(void)
{
	if (!pointer)
		return;
	sched_yield(); /* what was looked at is looked at again */
	sum += *pointer;
}

static void publish(void)
{
	same = 5;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void receive(void)
{
	if (atomic_load_explicit(&flag, memory_order_relaxed))
		sum = same;
}

static void set_late(void)
{
	atomic_store(&found, block);
	*block = 7;
}

static void use_found(void)
{
	char *use = atomic_load(&found);

	assert(!use || *use == 7);
}

static void first(void)
{
	if (is("crash"))
		use_pointer();
	else if (is("deadlock"))
		said = 1;
	else if (is("memory"))
		block[0] = 1;
	else if (is("none"))
		same = 1;
	else if (is("early"))
		set_late();
	else if (is("unknown"))
		publish();
	else
		increment();
}

static void listen_to_it(void)
{
	if (!said)
		sem_wait(&never);
}

static void second(void)
{
	if (is("crash"))
		pointer = NULL;
	else if (is("deadlock"))
		listen_to_it();
	else if (is("memory"))
		free(block);
	else if (is("none"))
		same = 1;
	else if (is("early"))
		use_found();
	else if (is("unknown"))
		receive();
	else
		increment();
}

static void *run(void *work)
{
	if (safe)
		pthread_mutex_lock(&lock);
	((void (*)(void))work)();
	if (safe)
		pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	what = argv[1];
	safe = argc > 2;
	block = calloc(1, 8);
	sem_init(&never, 0, 0);
	pthread_create(&threads[0], NULL, run, first);
	if (safe && (is("memory") || is("deadlock")))
		pthread_join(threads[0], NULL);
	pthread_create(&threads[1], NULL, run, second);
	if (!safe || !(is("memory") || is("deadlock")))
		pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (is("assertion") || is("bystander"))
		assert(sum == 2);
	if (is("output"))
		printf("%d\n", sum);
	return is("exit") && sum != 2;
}
