/*
 * Processes that the program forks or starts, followed while they run: each has a ring and a trace of
 * its own. They ask for that by a socket that only they know of (struct hd_ring_request).
 */
#ifndef HD_LAUNCH_CHILDREN_H
#define HD_LAUNCH_CHILDREN_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "trace/ring.h"
#include "trace/trace_writer.h"

/* What one of them did. */
struct hd_child {
	char label[HD_RING_LABEL]; /* "2.1": the first child of the second child of the program */
	int trace_fd;		   /* for reading */
	bool running;		   /* it went on when the program had ended, and was left alone */
};

struct hd_child_list {
	struct hd_child *each;
	size_t n, room;
	uint64_t followed; /* those that have nothing to tell are only counted */
};

struct hd_children;

/* Begin to listen; NULL: that cannot be, and nobody is followed. @meta is of the program's trace. */
struct hd_children *hd_children_listen(const struct hd_trace_meta *meta);
/* What the program is told, for it to be found. */
const char *hd_children_name(const struct hd_children *c);
/* Start the thread that serves; a program that is started gets @options. */
bool hd_children_serve(struct hd_children *c, const char *options);
/*
 * The program has ended. Its children have @patience seconds for their ends. What all of them did that is
 * worth telling is in @list, which is the caller's.
 */
void hd_children_stop(struct hd_children *c, double patience, struct hd_child_list *list);
void hd_child_list_free(struct hd_child_list *list);

/* A list in a file without a name, for who runs the program in another process. 0: no such file. */
int hd_children_file(void);
void hd_children_save(int fd, const struct hd_child_list *list);
/* One that was not written to its end is read as far as it goes. */
enum hd_err hd_children_load(int fd, struct hd_child_list *list);

#endif
