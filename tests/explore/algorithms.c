/*
 * Algorithms that suites for model checkers have, each right and with one mistake: algorithms NAME right|wrong. What
 * the mistake is stands at the place that asks for `wrong`; what it leads to, in test_algorithms.py.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool wrong;
static atomic_int inside, flags[2], turn;

static void critical_section(void)
{
	assert(atomic_fetch_add(&inside, 1) == 0);
	atomic_fetch_sub(&inside, 1);
}

/* ---- mutual exclusion by loads and stores ------------------------------------------------ */

static void *dekker(void *arg)
{
	int me = (int)(long)arg, other = 1 - me;

	flags[me] = 1;
	while (flags[other]) {
		if (turn == me)
			continue;
		flags[me] = 0;
		while (turn != me && !wrong) /* it goes on without waiting for its turn */
			sched_yield();
		if (wrong)
			break;
		flags[me] = 1;
	}
	critical_section();
	turn = other;
	flags[me] = 0;
	return NULL;
}

/* Lamport's fast mutual exclusion, for two. */
static void *lamport(void *arg)
{
	static atomic_int x, y, wants[2];
	int me = (int)(long)arg;

	for (;;) {
		wants[me] = 1;
		x = me + 1;
		if (y) {
			wants[me] = 0;
			while (y)
				;
			continue;
		}
		y = me + 1;
		if (wrong || x == me + 1) /* another one may be past the first look at y */
			break;
		wants[me] = 0;
		while (wants[0] || wants[1])
			;
		if (y == me + 1)
			break;
		while (y)
			;
	}
	critical_section();
	y = 0;
	wants[me] = 0;
	return NULL;
}

static void *bakery(void *arg)
{
	static atomic_int choosing[2], number[2];
	int me = (int)(long)arg, other = 1 - me;

	if (!wrong) /* a number may be chosen that is not yet seen */
		choosing[me] = 1;
	number[me] = 1 + (number[0] > number[1] ? number[0] : number[1]);
	choosing[me] = 0;
	while (choosing[other])
		;
	while (number[other] &&
	       (number[other] < number[me] || (number[other] == number[me] && other < me)))
		;
	critical_section();
	number[me] = 0;
	return NULL;
}

/* ---- locks of read-modify-writes ----------------------------------------------------------- */

struct place {
	_Atomic(struct place *) next;
	atomic_int waits;
};

/* Mellor-Crummey and Scott: a list of who waits. */
static void *mcs(void *arg)
{
	static _Atomic(struct place *) tail;
	struct place mine, *self = &mine, *before;

	atomic_init(&mine.next, NULL);
	atomic_init(&mine.waits, 1);
	before = atomic_exchange(&tail, &mine);
	if (before) {
		before->next = &mine;
		while (mine.waits)
			;
	}
	critical_section();
	if (!mine.next) {
		if (wrong) { /* somebody may have come since the look */
			tail = NULL;
			return arg;
		}
		if (atomic_compare_exchange_strong(&tail, &self, NULL))
			return arg;
		while (!mine.next)
			;
	}
	mine.next->waits = 0;
	return arg;
}

/* Craig, Landin and Hagersten: each waits for the one before it. */
static void *clh(void *arg)
{
	static struct place places[3];
	static _Atomic(struct place *) tail = &places[2];
	struct place *mine = &places[(long)arg], *before;

	if (!wrong) /* who comes next may look before it is set */
		mine->waits = 1;
	before = atomic_exchange(&tail, mine);
	mine->waits = 1;
	while (before->waits)
		;
	critical_section();
	mine->waits = 0;
	return arg;
}

/* Readers add one, a writer makes it -1. */
static atomic_int holders;

static void *read_held(void *arg)
{
	for (int n = holders;; n = holders) {
		if (n >= 0 && atomic_compare_exchange_strong(&holders, &n, n + 1))
			break;
	}
	assert(!inside);
	holders--;
	return arg;
}

static void *write_held(void *arg)
{
	for (int none = 0;; none = 0) {
		if (wrong && !holders) { /* a look and a store are not one step */
			holders = -1;
			break;
		}
		if (!wrong && atomic_compare_exchange_strong(&holders, &none, -1))
			break;
	}
	critical_section();
	holders = 0;
	return arg;
}

/* ---- without locks -------------------------------------------------------------------------- */

static atomic_int version, halves[2];

static void *write_halves(void *arg)
{
	version++;
	halves[0] = 1;
	if (wrong) /* it is even again too early */
		version++;
	halves[1] = 1;
	if (!wrong)
		version++;
	return arg;
}

static void *read_halves(void *arg)
{
	int before, a, b;

	do {
		do {
			before = version;
		} while (before & 1);
		a = halves[0];
		b = halves[1];
	} while (version != before);
	assert(a == b);
	return arg;
}

/* A reader says that it reads; who has published another object waits before it takes the old one away. */
static atomic_int reads, published, taken_away[2];

static void *read_published(void *arg)
{
	int now;

	reads = 1;
	now = published; /* as an index itself, gcc would read it by a plain access */
	assert(!taken_away[now]);
	reads = 0;
	return arg;
}

static void *publish(void *arg)
{
	published = 1;
	while (reads && !wrong) /* it does not wait */
		sched_yield();
	taken_away[0] = 1;
	return arg;
}

/* The deque of Chase and Lev: the owner takes from the bottom, a thief from the top. */
static atomic_int top, bottom = 2, taken[2];

static void take(int i)
{
	assert(atomic_fetch_add(&taken[i], 1) == 0);
}

static void *own(void *arg)
{
	for (int k = 0; k < 2; k++) {
		int last = bottom - 1, first;

		bottom = last;
		first = top;
		if (first > last) {
			bottom = first;
			return arg;
		}
		if (first == last) {
			bottom = first + 1;
			if (wrong) /* the thief may take the last one, too */
				top = first + 1;
			else if (!atomic_compare_exchange_strong(&top, &first, first + 1))
				return arg;
		}
		take(last);
	}
	return arg;
}

static void *steal(void *arg)
{
	int first = top;

	if (first < bottom && atomic_compare_exchange_strong(&top, &first, first + 1))
		take(first);
	return arg;
}

/* A ring of two for one who puts and one who takes. */
static int ring[2];
static atomic_int put, got;

static void *fill(void *arg)
{
	for (int i = 0; i < 3; i++) {
		while (put - got == (wrong ? 3 : 2)) /* it puts where nobody has taken */
			;
		ring[put % 2] = i;
		put++;
	}
	return arg;
}

static void *drain(void *arg)
{
	for (int i = 0; i < 3; i++) {
		while (put == got)
			;
		assert(ring[got % 2] == i);
		got++;
	}
	return arg;
}

/* Who lets go last frees. */
static int *object;
static atomic_int users = 2;

static void *let_go(void *arg)
{
	if (wrong) { /* both may see that there is nobody any more */
		users--;
		if (users == 0)
			free(object);
	} else if (atomic_fetch_sub(&users, 1) == 1) {
		free(object);
	}
	return arg;
}

/* ---- mutexes, conditions, semaphores ------------------------------------------------------------ */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *await_ready(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&news, &mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *get_ready(void *arg)
{
	if (!wrong) /* the signal may come between look and wait */
		pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&news);
	if (!wrong)
		pthread_mutex_unlock(&mutex);
	return arg;
}

static sem_t full, empty;
static int buffer;

static void *produce(void *arg)
{
	for (int i = 0; i < 2; i++) {
		sem_wait(&empty);
		buffer = i;
		sem_post(&full);
	}
	return arg;
}

static void *consume(void *arg)
{
	for (int i = 0; i < 2; i++) {
		sem_wait(&full);
		assert(buffer == i);
		sem_post(&empty);
	}
	return arg;
}

static const struct program {
	const char *name;
	void *(*first)(void *), *(*second)(void *);
} programs[] = {
	{ "dekker", dekker, dekker },
	{ "lamport", lamport, lamport },
	{ "bakery", bakery, bakery },
	{ "mcs", mcs, mcs },
	{ "clh", clh, clh },
	{ "readers-writer", read_held, write_held },
	{ "seqlock", write_halves, read_halves },
	{ "grace-period", read_published, publish },
	{ "deque", own, steal },
	{ "ring", fill, drain },
	{ "last-user", let_go, let_go },
	{ "lost-wakeup", await_ready, get_ready },
	{ "buffer", produce, consume },
};

int main(int argc, char **argv)
{
	const struct program *p = programs;
	pthread_t first, second;

	if (argc < 3)
		return 2;
	while (strcmp(p->name, argv[1]))
		p++;
	wrong = !strcmp(argv[2], "wrong");
	object = malloc(sizeof(*object));
	sem_init(&full, 0, 0);
	sem_init(&empty, 0, wrong ? 2 : 1); /* it has room for one only */
	pthread_create(&first, NULL, p->first, (void *)0);
	pthread_create(&second, NULL, p->second, (void *)1);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
