/*
 * Lines of a preprocessed source that may be directives: strings that go over several lines, and
 * comments, where they were kept, are not taken for them.
 */
#ifndef HD_CC_OMP_LINES_H
#define HD_CC_OMP_LINES_H

#include <stddef.h>

/* The newline that ends the line at @line, or @end: not one within a raw string or a comment. */
const char *hd_omp_line_end(const char *line, const char *end);

/*
 * Comments become spaces, and lines stay where they are. Those about falling through from one case to
 * the next stay: the compiler reads them.
 */
void hd_omp_blank_comments(char *text, size_t len);

#endif
