/*
 * heddle correlate --confirm: can what the Valgrind tool found be brought about?
 */
#ifndef HD_CLI_CORRELATE_CONFIRM_H
#define HD_CLI_CORRELATE_CONFIRM_H

#include "correlate_reader/correlate_input.h"
#include "report/run_model.h"

/* Run --build's command, with `heddle cc` as the compiler. HD_EXIT_CLEAN, or a status after a message. */
int hd_confirm_build(const char *command);

/*
 * Ask for every finding of @run, which was made of @r, whether another order of the program's accesses tears it,
 * and run these orders: verdicts, and commands that replay them, become part of the findings. What is proved to
 * be impossible is a finding no more. @seconds: for all of it; 0: no limit.
 */
int hd_confirm(struct hd_run *run, const struct hd_cr_result *r, char **argv, double seconds);

#endif
