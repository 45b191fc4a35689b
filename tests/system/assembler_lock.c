/*
 * A spin lock by an atomic exchange, in inline assembler or (-DBUILTIN) as the compiler makes it.
 */
#include <pthread.h>

static int held, counter;

__attribute__((noinline)) static int take(int *lock)
{
	int old = 1;

#ifdef BUILTIN
	old = __atomic_exchange_n(lock, old, __ATOMIC_ACQUIRE);
#else
	__asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(*lock) : : "memory");
#endif
	return !old;
}

static void *thread(void *arg)
{
	while (!take(&held))
		;
	counter++;
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	thread(NULL);
	return counter != 2;
}
