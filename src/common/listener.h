/*
 * What the engine has to say while it works goes to a listener: warnings, findings as they come, how
 * far it is. Without one it is silent. There is one for the process, as there is one terminal.
 */
#ifndef HD_COMMON_LISTENER_H
#define HD_COMMON_LISTENER_H

#include "heddle/engine/listener.h"

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
