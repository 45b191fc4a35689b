/*
 * Where a process is, seen from outside and without disturbing it.
 */
#ifndef HD_LAUNCH_WHERE_IS_H
#define HD_LAUNCH_WHERE_IS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum hd_doing { HD_DOING_UNKNOWN, HD_DOING_WORK, HD_DOING_WAIT };

/* Does the kernel thread that carries the program's threads compute, or does it wait in the system? */
enum hd_doing hd_doing(pid_t pid, pid_t *tid);

/* Seconds of processor time that @pid has used; negative: it is gone. */
double hd_cpu_seconds(pid_t pid);

/*
 * Half a sentence on what thread @tid of @pid does: "spinning at FILE:LINE (in function f, ...)?".
 * @last: a place that it was at before, for when the system does not let us look; 0: none is known.
 */
void hd_where_is(pid_t pid, pid_t tid, enum hd_doing doing, uint64_t last, char *text, size_t len);

#endif
