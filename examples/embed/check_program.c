/*
 * A tool of one's own on heddle's engine: check a program for a minute, and list what was found.
 *
 *     cc check_program.c $(pkg-config --cflags --libs heddle-engine) -o check_program
 *     heddle cc -g -pthread bank.c -o bank && ./check_program ./bank
 *
 * It ends with 0 if nothing was found, with 1 if something was, and with 2 if it cannot tell.
 */
#include <heddle/engine.h>
#include <signal.h>
#include <stdio.h>

static void on_warning(void *arg, const char *text)
{
	fprintf(stderr, "warning: %s\n", text);
}

/* Findings as they come; hd_result_finding() has them all at the end. */
static void on_finding(void *arg, const char *text)
{
	fprintf(stderr, "found: %s\n", text);
}

static void on_interrupt(int sig)
{
	hd_interrupt();
}

static void list(const struct hd_result *result)
{
	for (size_t i = 0; i < hd_result_count(result); i++) {
		const struct hd_finding_line *f = hd_result_finding(result, i);

		printf("%s (%s): %s\n", f->kind, f->verdict, f->summary);
		if (f->file)
			printf("  at %s:%u\n", f->file, f->line);
		if (f->replay)
			printf("  again: %s\n", f->replay);
	}
}

int main(int argc, char **argv)
{
	static const struct hd_listener listener = { .warning = on_warning, .finding = on_finding };
	struct hd_campaign_config config;
	struct hd_errbuf error;
	struct hd_result *result;
	enum hd_status status;

	hd_listen(&listener);
	signal(SIGINT, on_interrupt);
	hd_check_config_init(&config);
	config.keep_going = true;
	config.outputs.seconds = 60;
	if (hd_check_run(&config, argv + 1, &result, &error) != HD_OK) {
		fprintf(stderr, "cannot check it: %s\n", error.text);
		return 2;
	}
	status = hd_result_status(result);
	list(result);
	if (status == HD_STATUS_STOPPED)
		puts("nothing found, but not everything was tried");
	else if (status == HD_STATUS_CLEAN)
		puts("nothing found");
	hd_result_free(result);
	return status == HD_STATUS_FINDINGS ? 1 : status == HD_STATUS_CLEAN ? 0 : 2;
}
