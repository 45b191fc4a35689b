/*
 * A campaign whose runs other ranks make: those of --ranks, or of an MPI launcher.
 */
#ifndef HD_CAMPAIGN_HELPERS_H
#define HD_CAMPAIGN_HELPERS_H

#include "campaign.h"

/*
 * In one of the ranks that a launcher has started, or in a process alone: rank 0 does @lead with a config that knows the others,
 * and these help until it is over. Then *@helped is true, and there is nothing to report.
 */
typedef enum hd_err hd_campaign_lead_fn(void *arg, const struct hd_campaign_config *config);
enum hd_err hd_campaign_lead(const struct hd_campaign_config *config, char **argv,
			     hd_campaign_lead_fn *lead, void *arg);

/* Once @c is set up and knows the program's input: those who help from now on, if any do. */
enum hd_err hd_campaign_call_helpers(struct hd_campaign *c);
/*
 * @t has run here. Whoever does not do the same does not help. Until then nobody does, and nobody does either where files are
 * changed: they are there once.
 */
enum hd_err hd_campaign_show_helpers(struct hd_campaign *c, const struct hd_trial *t);
/* A note on those who did not help. */
void hd_campaign_note_helpers(struct hd_campaign *c);
/* Nobody helps any more. */
void hd_campaign_dismiss_helpers(struct hd_campaign *c);

#endif
