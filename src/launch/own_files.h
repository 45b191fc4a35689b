/*
 * Where the files that belong to heddle are, both in the build tree and when installed.
 *
 * Each returns a static string, or NULL if the file is not there.
 */
#ifndef HD_LAUNCH_OWN_FILES_H
#define HD_LAUNCH_OWN_FILES_H

const char *hd_path_self(void);	    /* this command */
const char *hd_path_libdir(void);   /* folder with libheddle.so */
const char *hd_path_valgrind(void); /* folder with the Valgrind tool */
const char *hd_path_gdb(void);	    /* the script for gdb */
const char *hd_path_include(void);  /* folder with heddle/heddle.h */

#endif
