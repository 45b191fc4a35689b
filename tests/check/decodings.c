/*
 * How often a check decodes the runs that it observes.
 *
 *   decodings RUNS PROGRAM [ARGUMENT...]
 *
 * Checks the program, and prints for each observed run a line: events, passes that decoded them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/check.h"

int main(int argc, char **argv)
{
	struct hd_campaign_config config = { .keep_going = true, .folder = "decodings.found" };
	struct hd_campaign c = { .config = &config };

	if (argc < 3)
		return 2;
	hd_run_config_init(&config.run);
	config.runs = strtoull(argv[1], NULL, 10);
	c.program.argv = argv + 2;
	c.program.argc = argc - 2;
	if (hd_check_all(&c, NULL) != HD_OK)
		return 3;
	for (size_t i = 0; i < c.nobservations; i++)
		printf("%" PRIu64 " %u\n", c.observations[i].trial->run.events,
		       hd_trace_decodings(c.observations[i].trial->trace));
	hd_campaign_tear_down(&c);
	return 0;
}
