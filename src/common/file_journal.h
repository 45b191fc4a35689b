/*
 * What was in the files that a run has changed: written by the runtime before each change, read by the
 * command when the run is over, which puts it back (launch/undo_files.h).
 *
 * A journal is a memory file with one record after the other: this, the path with its 0, and what
 * was in the file. Of two records of one path the first counts. A record that is cut off belongs to a
 * change that was not made.
 */
#ifndef HD_COMMON_FILE_JOURNAL_H
#define HD_COMMON_FILE_JOURNAL_H

#include <stdint.h>

enum hd_kept_kind {
	HD_KEPT_NOTHING, /* there was none of that name */
	HD_KEPT_FILE,
	HD_KEPT_FOLDER,
	HD_KEPT_LINK, /* symbolic; where it leads is what was in it */
	HD_KEPT_NOT, /* it cannot be put back: too large, not readable, a folder with what is in it */
};

/* Larger ones are not kept: a copy is made for each run. */
#define HD_KEPT_MAX (64u << 20)

struct hd_kept {
	uint64_t content; /* bytes that were in it */
	uint32_t kind;	  /* enum hd_kept_kind */
	uint32_t path;	  /* bytes, with the 0 */
	uint32_t mode;
	uint32_t mtime_ns;
	int64_t mtime;
	uint32_t uid, gid;
};

#endif
