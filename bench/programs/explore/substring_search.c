/*
 * SubstringSearch: a task for each place in a text looks whether a word begins there, unless it
 * has been found already. 59 tasks, 2 regions.
 *
 * Verdict: race, on `found`. A task that finds the word writes it while others read it, and nothing
 * orders them.
 */
#include <heddle/hj.h>
#include <string.h>

#define WORD "weft"

static const char text[] = "warp and weft, the weft over the warp, again weft and warp ..";
static int found;

static void look(void *arg)
{
	long at = (long)arg;
	int done;

	hj_acquire_r(&found);
	done = found;
	hj_release_r(&found);
	if (done || strncmp(text + at, WORD, strlen(WORD)) != 0)
		return;
	hj_acquire_w(&found);
	found = 1;
	hj_release_w(&found);
}

static void root(void *arg)
{
	_Static_assert(sizeof(text) - sizeof(WORD) + 1 == 58, "a task for each place");
	(void)arg;
	HJ_FINISH {
		for (long at = 0; at < 58; at++)
			hj_async(look, (void *)at);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
