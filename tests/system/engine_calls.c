/*
 * Calls one function of heddle/engine.h, and prints the status and the document.
 *
 *     engine_calls explore|interrupted PROGRAM... | again PROGRAM OTHER | replay|analyse|predict TRACE
 */
#include <heddle/engine.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum hd_err explore(char **argv, struct hd_result **r, struct hd_errbuf *eb)
{
	struct hd_explore_config c;

	hd_explore_config_init(&c);
	c.campaign.keep_going = true;
	c.campaign.outputs.quiet = true;
	return hd_explore_run(&c, argv, r, eb);
}

static void *interrupt(void *arg)
{
	usleep(300000);
	hd_interrupt();
	return NULL;
}

static enum hd_err call(const char *what, char **argv, struct hd_result **r, struct hd_errbuf *eb)
{
	struct hd_output_config outputs = { .quiet = true };
	struct hd_analysis_config analysis = { 0 };
	struct hd_predict_config predict;
	pthread_t thread;

	if (!strcmp(what, "replay"))
		return hd_replay_run(&outputs, argv[0], NULL, r, eb);
	if (!strcmp(what, "analyse"))
		return hd_analyse(&analysis, &outputs, argv[0], r, eb);
	hd_predict_config_init(&predict);
	if (!strcmp(what, "predict"))
		return hd_predict_run(&predict, argv[0], r, eb);
	if (!strcmp(what, "again")) { /* what came of one call is no matter of the next */
		pthread_create(&thread, NULL, interrupt, NULL);
		if (explore(argv, r, eb) == HD_OK)
			hd_result_free(*r);
		pthread_join(thread, NULL);
		return explore(argv + 1, r, eb);
	}
	if (!strcmp(what, "interrupted"))
		pthread_create(&thread, NULL, interrupt, NULL);
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
