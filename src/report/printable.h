/*
 * Text that came from the tested program, made safe to show and to paste.
 */
#ifndef HD_REPORT_PRINTABLE_H
#define HD_REPORT_PRINTABLE_H

#include <stdio.h>

/*
 * Write @s (NULL: nothing) with every control character, those that turn the direction of text
 * among them, and every byte that is not UTF-8 as \xNN, so that a thread's name cannot drive the
 * reader's terminal or forge a line of the report.
 */
void hd_put_printable(FILE *out, const char *s);
/* The same of a text of several lines: newlines and tabs stay. */
void hd_put_printable_text(FILE *out, const char *s);

/* The same between quotes, as names are shown. */
void hd_put_quoted(FILE *out, const char *name);

/* Write @s as one word of a POSIX shell (bash where it holds control characters). */
void hd_put_shell_word(FILE *out, const char *s);

#endif
