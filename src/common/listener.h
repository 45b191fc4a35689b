/*
 * What the engine has to say while it works goes to a listener: warnings, findings as they come, how
 * far it is. Without one it is silent. There is one for the process, as there is one terminal.
 */
#ifndef HD_COMMON_LISTENER_H
#define HD_COMMON_LISTENER_H

#include <stdbool.h>

struct hd_listener {
	/* Each may be NULL. Context: any thread of the engine, one at a time. */
	void (*warning)(void *arg, const char *text);
	void (*finding)(void *arg, const char *text); /* one line; the report has it in full */
	bool (*progress_due)(void *arg);              /* is it time for another line? */
	void (*progress)(void *arg, const char *text); /* NULL: there is no more to say */
	void *arg;
};

/* @l stays the caller's; NULL: nobody listens. */
void hd_listen(const struct hd_listener *l);

void hd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void hd_tell_finding(const char *text);
bool hd_progress_due(void);
void hd_progress_show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void hd_progress_clear(void);

#define HD_PROGRESS_LEFT 32
/*
 * ", about 12 s left" for work of which @part (0 to 1) is done after @seconds; of no more than @most
 * seconds, if that is not 0. Nothing, if it is too early to tell. Returns @buf.
 */
const char *hd_progress_left(char buf[HD_PROGRESS_LEFT], double part, double seconds, double most);

#endif
