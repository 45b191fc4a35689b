/*
 * Calls one function of heddle/engine.h, and prints the status and the document.
 *
 *     engine_calls explore|interrupted PROGRAM... | again PROGRAM OTHER | replay SCHEDULE [PROGRAM...] |
 *                  analyse|predict TRACE
 */
#include <heddle/engine.h>
#include <stdio.h>
#include <string.h>

static enum hd_err explore(char **argv, struct hd_result **r, struct hd_errbuf *eb)
{
	struct hd_explore_config c;

	hd_explore_config_init(&c);
	c.campaign.keep_going = true;
	c.campaign.outputs.quiet = true;
	return hd_explore_run(&c, argv, r, eb);
}

/* The engine asks after each execution: after some of them, it is enough. */
static bool enough(void *arg)
{
	int *left = arg;

	if (*left && !--*left)
		hd_interrupt();
	return false;
}

static void show(void *arg, const char *text)
{
}

static enum hd_err call(const char *what, char **argv, struct hd_result **r, struct hd_errbuf *eb)
{
	struct hd_output_config outputs = { .quiet = true };
	struct hd_analysis_config analysis = { 0 };
	struct hd_predict_config predict;
	static int left = 3;
	const struct hd_listener listener = { .progress_due = enough, .progress = show, .arg = &left };

	if (!strcmp(what, "replay"))
		return hd_replay_run(&outputs, argv[0], argv[1] ? argv + 1 : NULL, r, eb);
	if (!strcmp(what, "analyse"))
		return hd_analyse(&analysis, &outputs, argv[0], r, eb);
	hd_predict_config_init(&predict);
	if (!strcmp(what, "predict"))
		return hd_predict_run(&predict, argv[0], r, eb);
	if (!strcmp(what, "again")) { /* what came of one call is no matter of the next */
		hd_listen(&listener);
		if (explore(argv, r, eb) == HD_OK)
			hd_result_free(*r);
		return explore(argv + 1, r, eb);
	}
	if (!strcmp(what, "interrupted"))
		hd_listen(&listener);
	return explore(argv, r, eb);
}

int main(int argc, char **argv)
{
	struct hd_result *r = NULL;
	struct hd_errbuf eb = { 0 };
	enum hd_err err = argc > 2 ? call(argv[1], argv + 2, &r, &eb) : HD_ERR_REQUEST;

	if (err) {
		printf("error %d %s\n", err == HD_ERR_REQUEST, eb.text);
		return 2;
	}
	printf("%d\n%s", hd_result_status(r), hd_result_json(r));
	hd_result_free(r);
	return 0;
}
