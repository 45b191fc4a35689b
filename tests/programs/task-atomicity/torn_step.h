/*
 * What the programs about one location have in common: torn() accesses `shared` twice in one step,
 * other() once in a step that may run in parallel. All accesses are isolated, so that nothing is
 * a race; with FIXED both of torn() are in one isolated block.
 *
 * Where the two run: side by side (default), below further tasks and finishes (NESTED), or in a
 * parallel loop (LOOP). BEFORE is what the root does first.
 */
#include "../program.h"

#include <heddle/hj.h>

#include "use.h"

#ifdef FIXED
#define WHOLE HJ_ISOLATED
#define PART
#else
#define WHOLE
#define PART HJ_ISOLATED
#endif

long shared; /* not static: a variable that nobody reads is optimised away */

static void torn(void *arg);
static void other(void *arg);

#if defined(NESTED)
static void around_torn(void *arg)
{
	HJ_FINISH
		hj_async(torn, NULL);
}

static void around_other(void *arg)
{
	hj_async(other, NULL);
}

static void both(void)
{
	HJ_FINISH {
		hj_async(around_torn, NULL);
		hj_async(around_other, NULL);
	}
}
#elif defined(LOOP)
static void body(long i, void *arg)
{
	if (i == 2)
		torn(NULL);
	else
		other(NULL);
}

static void both(void)
{
	hj_forall1(&(struct hj_range){ .low = 0, .high = 5 }, body, NULL);
}
#else
static void both(void)
{
	HJ_FINISH {
		hj_async(torn, NULL);
		hj_async(other, NULL);
	}
}
#endif

#ifndef BEFORE
#define BEFORE
#endif

static void root(void *arg)
{
	BEFORE;
	both();
	shared = 0; /* after all of them */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
