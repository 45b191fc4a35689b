/*
 * Additions whose results nobody uses, of which it is known how many executions differ: commuting NAME N. Those marked
 * "races" have a race in one order only, those marked "right" none, whatever it looks like.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8

static long n; /* threads that do the first of the two things; one more does the other */
static _Atomic union word {
	int whole;
	unsigned char byte;
} shared;
static atomic_int sum;
static struct {
	atomic_int turn, sum;
} pair __attribute__((aligned(8)));
/* Not static: who writes them has to. */
int data, seen[MOST], parts[MOST];

static void *add(void *arg)
{
	atomic_fetch_add(&sum, 1);
	return arg;
}

static void *subtract(void *arg)
{
	atomic_fetch_sub(&sum, 5);
	return arg;
}

static void *ask(void *arg)
{
	seen[(long)arg] = atomic_fetch_add(&sum, 1);
	return arg;
}

static void *look(void *arg)
{
	seen[(long)arg] = atomic_load(&sum);
	return arg;
}

/* The same beside another variable, of which the order matters. */
static void *add_beside(void *arg)
{
	seen[(long)arg] = atomic_fetch_add(&pair.turn, 1);
	atomic_fetch_add(&pair.sum, 1);
	return arg;
}

static void *look_beside(void *arg)
{
	seen[(long)arg] = atomic_load(&pair.sum);
	return arg;
}

static void *set(void *arg)
{
	atomic_store(&sum, 7);
	return arg;
}

static void *add_to_whole(void *arg)
{
	__atomic_fetch_add((int *)&shared, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void *add_to_byte(void *arg)
{
	__atomic_fetch_add((unsigned char *)&shared, 200, __ATOMIC_SEQ_CST);
	return arg;
}

/* It adds 0: whoever does so has changed nothing, which heddle may take for a wait. */
static void *add_nothing(void *arg)
{
	atomic_fetch_add(&sum, 0);
	return arg;
}

static void *write_and_add(void *arg)
{
	data = 1;
	atomic_fetch_add(&sum, 1);
	return arg;
}

/* Races: if it adds before the other one. */
static void *add_and_write(void *arg)
{
	atomic_fetch_add(&sum, 1);
	data = 2;
	return arg;
}

/* Races, as above: the fence has nothing to acquire then. */
static void *add_fence_and_write(void *arg)
{
	atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	data = 2;
	return arg;
}

/* Right: it adds only after the other one, whom its addition acquires. */
static void *add_later_and_write(void *arg)
{
	if (atomic_load_explicit(&sum, memory_order_relaxed) == 0)
		return arg;
	atomic_fetch_add(&sum, 1);
	data = 2;
	return arg;
}

/* Right, as above: the fence acquires. */
static void *fence_and_write(void *arg)
{
	if (atomic_load_explicit(&sum, memory_order_relaxed) == 0)
		return arg;
	atomic_thread_fence(memory_order_acquire);
	data = 2;
	return arg;
}

/* Right: who finds all of them has acquired them all, in whatever order they came. */
static void *add_part(void *arg)
{
	parts[(long)arg] = 1;
	atomic_fetch_add(&sum, 1);
	return arg;
}

static void *take_parts(void *arg)
{
	if (atomic_load(&sum) == n) {
		for (long i = 0; i < n; i++)
			data += parts[i];
	}
	return arg;
}

/* Fails only if it comes between two of them. */
static void *look_for_two(void *arg)
{
	assert(atomic_load(&sum) != 2);
	return arg;
}

static const struct program {
	const char *name;
	void *(*first)(void *), *(*second)(void *);
} programs[] = {
	{ "add", add, NULL },
	{ "subtract", add, subtract },
	{ "ask", ask, NULL },
	{ "one-asks", add, ask },
	{ "look", add, look },
	{ "set", add, set },
	{ "beside", add_beside, look_beside },
	{ "byte", add_to_whole, add_to_byte },
	{ "nothing", add_nothing, NULL },
	{ "two", add, look_for_two },
	{ "parts", add_part, take_parts },
	{ "races", write_and_add, add_and_write },
	{ "races-by-fence", write_and_add, add_fence_and_write },
	{ "right", write_and_add, add_later_and_write },
	{ "right-by-fence", write_and_add, fence_and_write },
};

int main(int argc, char **argv)
{
	const struct program *p = programs;
	pthread_t threads[MOST + 1];
	long last;

	if (argc < 3)
		return 2;
	while (strcmp(p->name, argv[1]))
		p++;
	n = atol(argv[2]);
	last = n + (p->second != NULL);
	for (long i = 0; i < last; i++)
		pthread_create(&threads[i], NULL, i < n ? p->first : p->second, (void *)i);
	for (long i = 0; i < last; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
