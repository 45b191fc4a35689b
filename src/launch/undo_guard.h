/*
 * If the command itself is killed, a small process puts back what the run in progress has changed in files: it
 * waits until the command and the program are gone, and finds the journal empty, or what there is to undo.
 */
#ifndef HD_LAUNCH_UNDO_GUARD_H
#define HD_LAUNCH_UNDO_GUARD_H

/* It is told of @journal (undo_files.h), and started with the first. If that fails there is none. */
void hd_journal_guard(int journal);
/* What it writes to standard error when it had something to do; NULL: nothing. @text stays the caller's. */
void hd_journal_guard_says(const char *text);

#endif
