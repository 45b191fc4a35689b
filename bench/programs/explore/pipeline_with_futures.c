/*
 * PipelineWithFutures: four stages, each a task with a value, which waits for the value of the stage
 * before it. All of them count themselves in an isolated block before they wait. 5 tasks,
 * 1 region.
 *
 * Verdict: no race. Futures order the stages, and the block excludes the others.
 */
#include <assert.h>
#include <heddle/hj.h>

#define STAGES 4

struct stage {
	hj_future_t *before;
	long number;
};

static struct stage stages[STAGES];
static int begun;

static void *work(void *arg)
{
	const struct stage *s = arg;
	long in = 1;

	HJ_ISOLATED {
		hj_acquire_w(&begun);
		begun++;
		hj_release_w(&begun);
	}
	if (s->before)
		in = (long)hj_future_get(s->before);
	return (void *)(in * 10 + s->number);
}

static void root(void *arg)
{
	hj_future_t *last = NULL;

	(void)arg;
	HJ_FINISH {
		for (long i = 0; i < STAGES; i++) {
			stages[i] = (struct stage){ .before = last, .number = i };
			last = hj_async_future(work, &stages[i]);
		}
	}
	assert((long)hj_future_get(last) == 10123);
	assert(begun == STAGES);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
