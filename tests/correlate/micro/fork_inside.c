/*
 * A child process runs for itself; the race of the parent is told. GOOD: no race.
 *
 * EXPECT: race x
 */
#include "../pair.h"

#include <sys/wait.h>
#include <unistd.h>

static volatile int x;

static void a(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(3);
	waitpid(child, NULL, 0);
#ifdef GOOD
	LOCK(m);
#endif
	x++;
#ifdef GOOD
	UNLOCK(m);
#endif
}

static void b(void)
{
#ifdef GOOD
	LOCK(m);
#endif
	x++;
#ifdef GOOD
	UNLOCK(m);
#endif
}
