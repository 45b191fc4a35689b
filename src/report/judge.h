/*
 * Which findings count: each fault once, without what was suppressed or is known.
 */
#ifndef HD_REPORT_JUDGE_H
#define HD_REPORT_JUDGE_H

#include "baseline.h"
#include "run_model.h"
#include "suppressions.h"

struct hd_judgement {
	size_t findings;		/* that set the exit status */
	size_t candidates;		/* not suppressed */
	size_t known;			/* findings that are in the baseline */
	size_t suppressed;		/* findings and candidates */
	size_t tolerated;		/* races without harm, if these do not count */
	size_t by_verdict[HD_VERDICTS]; /* the candidates */
};

/*
 * Give every finding its id, and merge those of equal fingerprint and lines (what is established
 * stays, with what was recorded best). Races of one variable stay apart.
 */
void hd_identify(struct hd_run *run);

/*
 * The same; then races of one variable become one finding (one_cause.c), and @suppressions and
 * @baseline are applied, which may be NULL. @harmful: races that did no harm do not count.
 */
struct hd_judgement hd_judge(struct hd_run *run, struct hd_suppressions *suppressions,
			     const struct hd_baseline *baseline, bool harmful);

#endif
