/*
 * A program that speaks the runtime's side of the protocol by hand, to test how
 * commands start programs and what they conclude:
 *
 *   fake_target STEP...
 *
 *   config      print the options handed over, without the descriptors' numbers
 *   schedule    print the schedule handed over
 *   deadlock    tell of a deadlock of T1 with itself
 *   diverge     tell that the schedule was left
 *   choose      record a decision for T1 out of two
 *   fill=N      send N buffers of writes of random-looking values
 *   raise=N     die of signal N
 *   wait        say "ready" and wait for a signal; exit with status 5 on SIGTERM
 *   exit=N      end with status N
 */
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/event.h"
#include "trace/ring.h"

int hd_no_runtime(void); /* of the libheddle.so without which no program is started */

static char config[8192];
static struct hd_ring *ring;
static uint32_t strings;

static int config_number(const char *key)
{
	const char *at = strstr(config, key);

	return at ? atoi(at + strlen(key)) : -1;
}

/* The consumer may wait for `produced`, we for `consumed`. */
static void turn(void)
{
	__atomic_store_n(&ring->cursor, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&ring->produced, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &ring->produced, FUTEX_WAKE, 1, NULL, NULL, 0);
	for (;;) {
		uint32_t consumed = __atomic_load_n(&ring->consumed, __ATOMIC_SEQ_CST);

		if (ring->produced - consumed < HD_RING_BUFFERS)
			break;
		__atomic_store_n(&ring->producer_waits, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &ring->consumed, FUTEX_WAIT, consumed, NULL, NULL, 0);
	}
}

static void put_bytes(const void *record)
{
	struct hd_raw *slots = (struct hd_raw *)((char *)ring + HD_RING_HEADER);
	uint64_t buffer;

	if (ring->cursor == HD_RING_EVENTS)
		turn();
	buffer = ring->produced % HD_RING_BUFFERS;
	memcpy(&slots[buffer * HD_RING_EVENTS + ring->cursor], record, sizeof(*slots));
	__atomic_store_n(&ring->cursor, ring->cursor + 1, __ATOMIC_RELEASE);
}

static void put(unsigned op, uint64_t addr, uint64_t value, uint16_t arg)
{
	struct hd_raw r = { .op = (uint8_t)op, .addr = addr, .value = value, .arg = arg };

	put_bytes(&r);
}

static uint32_t put_string(const char *s)
{
	size_t len = strlen(s);

	put(HD_RAW_STRING, len, ++strings, 0);
	for (size_t i = 0; i < len; i += sizeof(struct hd_raw)) {
		char slot[sizeof(struct hd_raw)] = { 0 };

		memcpy(slot, s + i, len - i < sizeof(slot) ? len - i : sizeof(slot));
		put_bytes(slot);
	}
	return strings;
}

static void attach(void)
{
	const char *fd = getenv("HEDDLE_CONFIG_FD");
	uint32_t path;

	if (!fd || read(atoi(fd), config, sizeof(config) - 1) <= 0)
		_exit(99);
	ring = mmap(NULL, HD_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		    config_number("\nring-fd="), 0);
	if (ring == MAP_FAILED || ring->magic != HD_RING_MAGIC)
		_exit(99);
	ring->target_pid = getpid();
	ring->attached = 1;
	put(HD_RAW_SWITCH, 0, 1, 0);
	put(HD_OP_THREAD_BEGIN, 0, 0, 0);
	path = put_string("/nowhere/fake");
	put(HD_OP_MODULE, 0x1000, 0x1000, 0);
	put(HD_RAW_VALUE2, 0, path, 0);
}

static void say_config(void)
{
	char *fds = strstr(config, "\nring-fd=");

	printf("%.*s\n", (int)(fds - config), config);
	printf("HEDDLE_CONFIG_FD has %zu digits\n", strlen(getenv("HEDDLE_CONFIG_FD")));
}

static void say_schedule(void)
{
	int fd = config_number("\nschedule-fd=");
	uint32_t choice;

	while (read(fd, &choice, sizeof(choice)) == sizeof(choice))
		printf("T%u\n", choice);
}

static void tell(unsigned kind, const char *text)
{
	uint32_t id = put_string(text);

	put(HD_RAW_SEAL, 0, ring->seal, 0);
	put(HD_OP_FINDING, 0, 0, (uint16_t)kind);
	put(HD_RAW_VALUE2, 0, id, 0);
	put(HD_OP_STATE, 0x7000, 1, HD_TS_MUTEX);
	put(HD_OP_HOLDS, 0x7000, 1, HD_LOCK_MUTEX);
	put(HD_OP_FINDING_END, 0, 0, 0);
}

static void finish(int status)
{
	fflush(stdout);
	put(HD_OP_EXIT, 0, (uint32_t)status, 0);
	__atomic_store_n(&ring->attached, 2, __ATOMIC_RELEASE);
	_exit(status);
}

static void on_term(int sig)
{
	finish(5);
}

/* Values that no compressor makes small. */
static void fill(int buffers)
{
	uint64_t x = 88172645463325252ull;

	for (uint64_t i = 0; i < (uint64_t)buffers * HD_RING_EVENTS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		put(HD_OP_WRITE, x & 0xffffffffff8, x, 0);
	}
}

static void step(const char *word)
{
	const char *equals = strchr(word, '=');
	int number = equals ? atoi(equals + 1) : 0;

	if (!strcmp(word, "config"))
		say_config();
	else if (!strcmp(word, "schedule"))
		say_schedule();
	else if (!strcmp(word, "deadlock"))
		tell(HD_KIND_DEADLOCK, "no thread can go on");
	else if (!strcmp(word, "diverge"))
		tell(HD_KIND_DIVERGENCE, "decision 3 cannot be followed");
	else if (!strcmp(word, "choose"))
		put(HD_OP_CHOICE, 0, 1, 0);
	else if (!strncmp(word, "fill=", 5))
		fill(number);
	else if (!strncmp(word, "raise=", 6))
		raise(number);
	else if (!strncmp(word, "exit=", 5))
		finish(number);
	else if (!strcmp(word, "wait")) {
		signal(SIGTERM, on_term);
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
}

int main(int argc, char **argv)
{
	attach();
	for (int i = 1; i < argc; i++)
		step(argv[i]);
	finish(hd_no_runtime());
}
