#include "estimate.h"

#define FIRST 16u /* executions */
#define LEAST 4u  /* estimates */
#define MOST  1e15

void hd_estimate_add(struct hd_estimate *e, uint64_t executions, double part)
{
	double size;

	if (executions < FIRST || executions < e->due || !(part > 0))
		return;
	size = (double)executions / part;
	e->size[e->n % HD_ESTIMATES] = size < MOST ? size : MOST;
	e->at[e->n++ % HD_ESTIMATES] = executions;
	e->due = executions + executions / 16 + 1;
}

bool hd_estimate_get(const struct hd_estimate *e, uint64_t executions, uint64_t *size,
		     uint64_t *before)
{
	unsigned kept = e->n < HD_ESTIMATES ? e->n : HD_ESTIMATES, at = e->n - 1;

	if (e->n < LEAST)
		return false;
	*size = (uint64_t)e->size[at % HD_ESTIMATES];
	if (*size < executions)
		*size = executions;
	while (at > e->n - kept && e->at[at % HD_ESTIMATES] > e->at[(e->n - 1) % HD_ESTIMATES] / 2)
		at--;
	*before = (uint64_t)e->size[at % HD_ESTIMATES];
	return true;
}
