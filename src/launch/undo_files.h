/*
 * Put back what a run has changed in files, so that the next one finds the same.
 */
#ifndef HD_LAUNCH_UNDO_FILES_H
#define HD_LAUNCH_UNDO_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* A journal (common/file_journal.h) for the runtime; 0: none. */
int hd_journal_make(void);
/* In the process that becomes the program: it gets the journal. */
void hd_journal_pass_on(int fd);

/*
 * Undo what is in journal @fd, the last change first, and empty it. True if there was something to
 * undo. What fails is left as it is.
 */
bool hd_journal_undo(int fd);

#endif
