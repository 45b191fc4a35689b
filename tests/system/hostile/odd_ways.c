/*
 * Rare but allowed: futexes that change another word ("wakeop") or belong to a thread ("pi"), an identity that
 * changes while there are threads ("identity"), coroutines with locks and a loop that waits ("coroutine"), a page mapped
 * twice with a lock in it ("twice"). And one that is not: a reader that wants to write ("upgrade").
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define FUTEX(word, op, ...) syscall(SYS_futex, word, op, __VA_ARGS__)

static atomic_int a, b;
static unsigned owned;
static int count;

static void *wait_for(void *word)
{
	while (!atomic_load((atomic_int *)word))
		FUTEX(word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return NULL;
}

static void both(void *(*one)(void *), void *x, void *(*two)(void *), void *y,
		 void (*meanwhile)(void))
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, one, x);
	pthread_create(&thread[1], NULL, two, y);
	if (meanwhile)
		meanwhile();
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
}

static void wake_both(void)
{
	usleep(1000);
	atomic_store(&a, 1);
	FUTEX(&a, FUTEX_WAKE_OP, 1, 1L, &b, FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_LT, 1));
}

static void *count_owned(void *arg)
{
	for (int i = 0; i < 20; i++) {
		if (FUTEX(&owned, FUTEX_LOCK_PI, 0, NULL, NULL, 0))
			abort();
		count++;
		if (FUTEX(&owned, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0))
			abort();
	}
	return arg;
}

static void owned_futex(void)
{
	both(count_owned, NULL, count_owned, NULL, NULL);
	printf("count %d left %u\n", count, owned);
	printf("not mine %d\n",
	       FUTEX(&owned, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) < 0 && errno == EPERM);
	printf("try %ld\n", FUTEX(&owned, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
	printf("again %d\n",
	       FUTEX(&owned, FUTEX_LOCK_PI, 0, NULL, NULL, 0) < 0 && errno == EDEADLK);
	printf("mine %d\n", owned == (unsigned)syscall(SYS_gettid));
}

static void *nap(void *arg)
{
	usleep(1000);
	return arg;
}

static void same_identity(void)
{
	int r = setgid(getgid()) | setegid(getegid()) | setuid(getuid()) | seteuid(geteuid()) |
		setresuid(getuid(), -1, -1) | setregid(-1, getegid());

	printf("set %d\n", r);
	if (geteuid() == 0) /* the order of servers that give rights up */
		printf("user %d %d\n", setresgid(65534, 65534, 65534),
		       setresuid(65534, 65534, 65534));
	printf("back %d\n", setuid(0) < 0 || geteuid() == 0);
}

/* ---- coroutines ------------------------------------------------------------------ */

static ucontext_t coroutine[2], back;
static char stacks[2][65536];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void body(int me)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
		while (me == 0 && i == 2 && !atomic_load(&a))
			;
		swapcontext(&coroutine[me], &back);
	}
}

static void *set_flag(void *arg)
{
	usleep(1000);
	atomic_store(&a, 1);
	return arg;
}

static void coroutines(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = stacks[i];
		coroutine[i].uc_stack.ss_size = sizeof(stacks[i]);
		coroutine[i].uc_link = &back;
		makecontext(&coroutine[i], (void (*)(void))body, 1, i);
	}
	for (int i = 0; i < 10; i++)
		swapcontext(&back, &coroutine[i % 2]);
}

/* ---- one page at two places -------------------------------------------------------- */

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int ready;
};
static struct shared *here, *there;

static void *set_there(void *arg)
{
	pthread_mutex_lock(&there->lock);
	there->ready = 1;
	pthread_cond_signal(&there->changed);
	pthread_mutex_unlock(&there->lock);
	return arg;
}

static void wait_here(void)
{
	pthread_mutex_lock(&here->lock);
	while (!here->ready)
		pthread_cond_wait(&here->changed, &here->lock);
	pthread_mutex_unlock(&here->lock);
}

static void twice(void)
{
	int fd = memfd_create("page", 0);
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;

	if (ftruncate(fd, 4096))
		exit(9);
	here = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&here->lock, &mutex);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&here->changed, &cond);
	both(set_there, NULL, nap, NULL, wait_here);
}

static void upgrade(void)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	pthread_rwlock_rdlock(&l);
	printf("in time %d\n", pthread_rwlock_timedwrlock(&l, &until) == ETIMEDOUT);
	pthread_rwlock_wrlock(&l);
}

int main(int argc, char **argv)
{
	const char *way = argv[1];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(way, "wakeop")) {
		both(wait_for, &a, wait_for, &b, wake_both);
		printf("b is %d\n", b);
	} else if (!strcmp(way, "pi")) {
		owned_futex();
	} else if (!strcmp(way, "identity")) {
		both(nap, NULL, nap, NULL, same_identity);
	} else if (!strcmp(way, "coroutine")) {
		both(set_flag, NULL, nap, NULL, coroutines);
		printf("count %d\n", count);
	} else if (!strcmp(way, "twice")) {
		twice();
		puts("ready");
	} else {
		upgrade();
	}
	return 0;
}
