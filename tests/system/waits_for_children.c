/* Has no children, and says so. */
#include "../programs/program.h"
#include <sys/wait.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	finish(start(nothing, NULL));
	assert(wait(NULL) == -1 && errno == ECHILD);
	assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	puts("no child");
	return 0;
}
