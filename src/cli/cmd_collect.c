/*
 * heddle collect: started by the runtime of a program that nobody started with
 * `heddle run`. Collects the program's trace and reports when it ends.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli_options.h"
#include "findings/conclude.h"
#include "launch/collector.h"

struct direct_run {
	char *cmdline; /* words ended by NUL */
	char **argv;
	int argc;
};

/* The whole of a small file, with a NUL behind it; NULL: it cannot be read. */
static char *slurp(FILE *in, size_t *len)
{
	char *data = NULL;
	size_t cap = 0;

	*len = 0;
	for (;;) {
		char *more = realloc(data, cap + 4097);
		size_t n;

		if (!more)
			break;
		data = more;
		n = fread(data + *len, 1, 4096, in);
		*len += n;
		cap = *len;
		if (n == 0) {
			data[*len] = 0;
			return data;
		}
	}
	free(data);
	return NULL;
}

static bool read_command_line(struct direct_run *d, int pid)
{
	char path[64];
	size_t len, n = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	in = fopen(path, "re");
	d->cmdline = in ? slurp(in, &len) : NULL;
	if (in)
		fclose(in);
	if (!d->cmdline)
		return false;
	for (size_t i = 0; i < len; i++)
		n += !d->cmdline[i];
	d->argv = calloc(n + 1, sizeof(*d->argv));
	for (char *p = d->cmdline; d->argv && (size_t)d->argc < n; p += strlen(p) + 1)
		d->argv[d->argc++] = p;
	return d->argv != NULL;
}

/* "key=value" lines, as the runtime got or made them. The texts are *@text's. */
static int read_config(struct hd_run_config *run, int fd, char **text)
{
	FILE *in;
	size_t len;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return hd_usage("--config-fd %d: %s", fd, strerror(errno));
	in = fdopen(fd, "r");
	*text = in ? slurp(in, &len) : NULL;
	if (in)
		fclose(in);
	if (!*text)
		return hd_failed("out of memory");
	hd_run_config_init(run);
	return hd_run_config_read(run, *text, "HEDDLE_OPTIONS") ? hd_exit_for(HD_ERR_REQUEST)
								: HD_GO_ON;
}

/*
 * Until the runtime says that it is done, or its process is gone. The runtime
 * wakes the word `attached`; the timeout only bounds how late its death is seen.
 */
static void wait_for_end(struct hd_ring *ring)
{
	int pidfd = (int)syscall(SYS_pidfd_open, ring->target_pid, 0);
	const struct timespec moment = { .tv_nsec = 10 * 1000 * 1000 };

	for (;;) {
		struct pollfd gone = { .fd = pidfd, .events = POLLIN };
		uint32_t seen = __atomic_load_n(&ring->attached, __ATOMIC_ACQUIRE);

		if (seen == 2)
			break;
		if (pidfd < 0 ? kill(ring->target_pid, 0) != 0 && errno == ESRCH
			      : poll(&gone, 1, 0) > 0)
			break;
		syscall(SYS_futex, &ring->attached, FUTEX_WAIT, seen, &moment, NULL, 0);
	}
	if (pidfd >= 0)
		close(pidfd);
}

static int collect(const struct hd_run_config *run, const char *record, struct hd_ring *ring,
		   const struct direct_run *d, struct hd_outcome *outcome)
{
	struct hd_trace_meta meta = { .argc = d->argc, .argv = (const char *const *)d->argv };
	struct hd_trace_end end = { .exited = -1 };
	struct hd_errbuf eb = { 0 };
	struct hd_run_meta options;
	struct hd_trace_writer *w;
	struct hd_collector *c;
	enum hd_err err;
	int fd;

	err = hd_open_trace_file(record, &fd, &outcome->trace_fd);
	if (err)
		return hd_exit_for(err);
	hd_run_config_meta(run, &options, &meta);
	if (hd_trace_create_fd(&w, fd, record ? record : "the trace", &meta, &eb) != HD_OK)
		return hd_failed("%s", eb.text);
	if (hd_collector_start(&c, ring, w, NULL, &eb) != HD_OK) {
		hd_trace_finish(w, NULL, NULL);
		return hd_failed("%s", eb.text);
	}
	wait_for_end(ring);
	err = hd_collector_stop(c, &outcome->counts, &eb);
	outcome->attached = true;
	if (err)
		outcome->write_error = eb;
	end.start_time = ring->start_time;
	err = hd_trace_finish(w, &end, &eb);
	if (err && !outcome->write_error.code)
		outcome->write_error = eb;
	return HD_EXIT_CLEAN;
}

/* Without the suppressions if they cannot be read: nothing is left out that nobody meant. */
static void open_outputs(struct hd_outputs *out, struct hd_output_config *config)
{
	if (hd_exit_for(hd_outputs_open(out, config)) == HD_EXIT_CLEAN)
		return;
	config->suppressions = NULL;
	hd_outputs_open(out, config);
}

/* *@status: what became known, whether or not it could be told. */
static int collect_and_report(const struct hd_cli_options *o, const struct hd_run_config *run,
			      struct hd_ring *ring, enum hd_status *status)
{
	const char *record = o->value[HD_OPT_RECORD];
	struct hd_output_config config = { .text = stderr,
					   .quiet = true,
					   .color = HD_COLOR_AUTO,
					   .only_named = true,
					   .suppressions = o->value[HD_OPT_SUPPRESSIONS] };
	struct hd_outputs outputs;
	struct hd_outcome outcome = { .trace_fd = -1, .digest_fd = -1 };
	struct direct_run d = { 0 };
	char origin[48], *replay = NULL;
	int rc;

	if (read_command_line(&d, ring->target_pid))
		replay = hd_replay_command(record, run, d.argv);
	rc = replay ? collect(run, record, ring, &d, &outcome)
		    : hd_failed("cannot tell how process %d was started", ring->target_pid);
	if (rc == HD_EXIT_CLEAN) {
		struct hd_conclusion c = { .command = "run",
					   .origin = origin,
					   .quiet = true,
					   .outputs = &outputs,
					   .record = record,
					   .schedule = record,
					   .replay = replay,
					   .direct = true };

		snprintf(origin, sizeof(origin), "seed %llu", (unsigned long long)run->seed);
		open_outputs(&outputs, &config);
		rc = hd_exit_with(hd_conclude(&c, &outcome, status), status);
		rc = hd_close_outputs(&outputs, rc);
	}
	free(replay);
	free(d.argv);
	free(d.cmdline);
	return rc;
}

int hd_cmd_collect(int argc, char **argv)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ };
	struct hd_errbuf eb = { 0 };
	struct hd_cli_options o;
	struct hd_run_config run;
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_ring *ring;
	char *text = NULL;
	bool dashes = false;
	int next = 1, rc = hd_cli_options_init(&o, HD_FOR_COLLECT);

	/* What ends the program must not end us before its report is out. */
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	if (rc == HD_GO_ON && (!o.value[HD_OPT_RING_FD] || !o.value[HD_OPT_CONFIG_FD]))
		rc = hd_usage("collect needs --ring-fd and --config-fd");
	if (rc == HD_GO_ON)
		rc = read_config(&run, atoi(o.value[HD_OPT_CONFIG_FD]), &text);
	if (rc == HD_GO_ON && hd_ring_map(atoi(o.value[HD_OPT_RING_FD]), &ring, &eb) != HD_OK)
		rc = hd_usage("%s", eb.text);
	if (rc == HD_GO_ON) {
		rc = collect_and_report(&o, &run, ring, &status);
		__atomic_store_n(&ring->stop, 1, __ATOMIC_RELEASE);
		/* Release; its partner is the runtime's wait for the word. */
		__atomic_store_n(&ring->done,
				 status == HD_STATUS_FINDINGS ? HD_RING_FINDINGS : HD_RING_CLEAN,
				 __ATOMIC_RELEASE);
		syscall(SYS_futex, &ring->done, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
		hd_ring_unmap(ring);
	}
	free(text);
	hd_cli_options_free(&o);
	return rc;
}
