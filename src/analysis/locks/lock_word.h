/*
 * What locks allow between two tasks, exactly: the locks that each takes and gives back around the
 * point where it stands.
 *
 * A *word* is the sequence of lock operations from the last moment when a task held no lock to the
 * point, and from there to a second point. Two tasks, one operation at a time, make paths through
 * a grid; a place in it is forbidden where both would hold a lock that one of them holds
 * exclusively. Whether they can stand at two points at the same time is whether there is a path
 * to that place: exact for any order of taking and giving back, nested or not.
 *
 * At a moment without locks a task is in nobody's way and everything before it can have run in one
 * piece, so that words start there. Words are interned; 0 is a point without locks.
 *
 * Beyond HD_WORD_MAX operations a word forgets its beginning but for the locks held then: it may then
 * admit what is impossible, never refuse what is possible.
 */
#ifndef HD_ANALYSIS_LOCK_WORD_H
#define HD_ANALYSIS_LOCK_WORD_H

#include "common/map.h"
#include "analysis/intern.h"

#include <stdbool.h>

#define HD_WORD_MAX 48

typedef uint32_t hd_word;

/* An operation: the lock's number * 4, and these. */
enum { HD_LOCK_OP_GIVE = 1, HD_LOCK_OP_SHARED = 2 };
typedef uint32_t hd_lock_op;

struct hd_words {
	struct hd_intern words;
	struct hd_map answers;
	bool failed;
	uint64_t questions, grids; /* asked, and not answered by what was found out before */
};

void hd_words_free(struct hd_words *w);

/*
 * The word of @before operations up to the point and @after from it on. @open: what comes after
 * these is not known; as if all locks were given back.
 */
hd_word hd_word_make(struct hd_words *w, const hd_lock_op *before, size_t nbefore,
		     const hd_lock_op *after, size_t nafter, bool open);

/*
 * Can a task be in the middle of @gap while another is at @other, and go on to the end of @gap
 * (the other one going on as far as it likes)?
 */
bool hd_word_fits(struct hd_words *w, hd_word gap, hd_word other);

/* Can two tasks be at their points at the same time? */
bool hd_word_meet(struct hd_words *w, hd_word a, hd_word b);

#endif
