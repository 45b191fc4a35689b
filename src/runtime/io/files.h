/*
 * Files that the program changes are put back when the run is over; see files.c.
 */
#ifndef HD_RUNTIME_FILES_H
#define HD_RUNTIME_FILES_H

void hd_rt_files_init(void);
/* Before @path in @dir is opened with @flags. */
void hd_rt_file_opens(int dir, const char *path, int flags);
/* The same with a mode as fopen(3) has it; @path may be NULL. */
void hd_rt_file_fopens(const char *path, const char *mode);

#endif
