/* What is not predicted, and may be there all the same. */
#include <stdlib.h>

#include "campaign/campaign.h"
#include "findings/wakeup_note.h"

/* By now the first run has all findings. */
void hd_check_hint(struct hd_check *c)
{
	if (hd_wakeup_is_explained(&c->observations[0].trial->run))
		return;
	for (size_t i = 0; i < c->nobservations; i++) {
		struct hd_observation *o = &c->observations[i];
		char *text = o->lost.wait.op ? hd_wakeup_note(&o->trial->run, &o->lost) : NULL;

		if (!text)
			continue;
		hd_check_note(c, "%s", text);
		free(text);
		return;
	}
}
