/*
 * Two processes and objects in memory that they share, by the first word:
 *
 *   sem       the child posts what the parent waits for
 *   mutex     both add to a counter under a lock, many times
 *   cond      the parent waits for a flag that the child sets
 *   barrier   they meet three times
 *   loop      the parent looks at a word until the child has set it
 *   leave     the parent ends, and the child stays
 *   alone     a mutex of that kind that nobody else uses is taken twice: a deadlock
 *
 * EXPECT: nothing, and "400" of the counter; a deadlock of "alone".
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 200

struct shared {
	sem_t sem;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	int flag, count, ready;
};

static void init(struct shared *s)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	pthread_barrierattr_t barrier;

	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->mutex, &mutex);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&s->cond, &cond);
	pthread_barrierattr_init(&barrier);
	pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&s->barrier, &barrier, 2);
	sem_init(&s->sem, 1, 0);
}

static void add(struct shared *s)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&s->mutex);
		s->count++;
		pthread_mutex_unlock(&s->mutex);
	}
}

static void meet(struct shared *s)
{
	for (int i = 0; i < 3; i++)
		pthread_barrier_wait(&s->barrier);
}

static void be_child(struct shared *s, const char *word)
{
	while (!strcmp(word, "leave"))
		pause();
	usleep(20000);
	if (!strcmp(word, "sem"))
		sem_post(&s->sem);
	if (!strcmp(word, "mutex"))
		add(s);
	if (!strcmp(word, "barrier"))
		meet(s);
	if (!strcmp(word, "loop"))
		__atomic_store_n(&s->ready, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&s->mutex);
	s->flag = 1;
	pthread_cond_signal(&s->cond);
	pthread_mutex_unlock(&s->mutex);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *word = argc > 1 ? argv[1] : "";

	init(s);
	if (!strcmp(word, "alone")) {
		pthread_mutex_lock(&s->mutex);
		pthread_mutex_lock(&s->mutex);
	}
	if (fork() == 0)
		be_child(s, word);
	if (!strcmp(word, "leave"))
		return 0;
	if (!strcmp(word, "sem"))
		sem_wait(&s->sem);
	if (!strcmp(word, "mutex"))
		add(s);
	if (!strcmp(word, "barrier"))
		meet(s);
	while (!strcmp(word, "loop") && !__atomic_load_n(&s->ready, __ATOMIC_SEQ_CST))
		;
	pthread_mutex_lock(&s->mutex);
	while (!s->flag)
		pthread_cond_wait(&s->cond, &s->mutex);
	pthread_mutex_unlock(&s->mutex);
	wait(NULL);
	printf("%d\n", s->count);
	return 0;
}
