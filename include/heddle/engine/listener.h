/*
 * What the engine has to say while it works: warnings, findings as they come, how far it is. Without
 * a listener it is silent. There is one for the process.
 */
#ifndef HEDDLE_ENGINE_LISTENER_H
#define HEDDLE_ENGINE_LISTENER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hd_listener {
	/* Each may be NULL. Context: any thread of the engine, one at a time. */
	void (*warning)(void *arg, const char *text);
	void (*finding)(void *arg, const char *text);  /* one line; the report has it in full */
	bool (*progress_due)(void *arg);	       /* is it time for another line? */
	void (*progress)(void *arg, const char *text); /* NULL: there is no more to say */
	void *arg;
};

/* @l stays the caller's; NULL: nobody listens. */
void hd_listen(const struct hd_listener *l);

#ifdef __cplusplus
}
#endif

#endif
