/*
 * Lets others work: aio with all ways to hear of its end, lists of requests, names looked up, a message queue that
 * starts a thread, io_uring, a thread made by clone. With "race" it looks at the buffer before the read is done.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t told;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int heard;
static char buf[4][16];

static void by_signal(int sig, siginfo_t *info, void *context)
{
	heard += info->si_value.sival_int;
	sem_post(&told);
}

static void by_thread(union sigval value)
{
	pthread_mutex_lock(&lock);
	heard += value.sival_int;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void wait_for_thread(int enough)
{
	pthread_mutex_lock(&lock);
	while (heard < enough)
		pthread_cond_wait(&changed, &lock);
	printf("heard %d\n", heard);
	heard = 0;
	pthread_mutex_unlock(&lock);
}

static struct aiocb request(int fd, int i, int op)
{
	return (struct aiocb){ .aio_fildes = fd,
			       .aio_buf = buf[i],
			       .aio_nbytes = 4,
			       .aio_offset = 4 * i,
			       .aio_lio_opcode = op,
			       .aio_sigevent.sigev_notify = SIGEV_NONE };
}

static void show(const char *what, struct aiocb *cb)
{
	int err = aio_error(cb);

	printf("%s %d %d\n", what, err, (int)aio_return(cb));
}

static void one_request(int fd)
{
	struct aiocb cb = request(fd, 0, LIO_WRITE);
	const struct aiocb *list[] = { NULL, &cb };

	strcpy(buf[0], "abcd");
	aio_write(&cb);
	while (aio_error(&cb) == EINPROGRESS)
		;
	show("write", &cb);
	printf("fsync %d %d\n", aio_fsync(O_SYNC, &cb), aio_fsync(77, &cb));
	printf("suspend %d\n", aio_suspend(list, 2, NULL));
	show("fsync", &cb);
	memset(buf[0], 0, sizeof(buf[0]));
	cb = request(fd, 0, LIO_READ);
	cb.aio_sigevent = (struct sigevent){ .sigev_notify = SIGEV_SIGNAL,
					     .sigev_signo = SIGUSR1,
					     .sigev_value.sival_int = 5 };
	aio_read(&cb);
	while (sem_wait(&told) && errno == EINTR)
		;
	printf("%.4s %d cancel %d\n", buf[0], heard, aio_cancel(fd, &cb) == AIO_ALLDONE);
	heard = 0;
	cb.aio_sigevent = (struct sigevent){ .sigev_notify = SIGEV_THREAD,
					     .sigev_notify_function = by_thread,
					     .sigev_value.sival_int = 7 };
	aio_read(&cb);
	wait_for_thread(7);
	cb = request(-1, 0, LIO_READ);
	printf("bad %d\n", aio_read(&cb));
	aio_suspend(list, 2, NULL);
	show("bad", &cb);
}

static void lists(int fd)
{
	struct aiocb cb[3], *list[4];
	struct sigevent event = { .sigev_notify = SIGEV_THREAD,
				  .sigev_notify_function = by_thread,
				  .sigev_value.sival_int = 9 };

	for (int i = 0; i < 3; i++) {
		cb[i] = request(fd, i, LIO_WRITE);
		memset(buf[i], 'a' + i, 4);
		list[i] = &cb[i];
	}
	list[3] = NULL;
	printf("all %d\n", lio_listio(LIO_WAIT, list, 4, NULL));
	for (int i = 0; i < 3; i++) {
		show("one", &cb[i]);
		cb[i] = request(fd, 2 - i, LIO_READ);
	}
	printf("later %d\n", lio_listio(LIO_NOWAIT, list, 4, &event));
	wait_for_thread(9);
	for (int i = 0; i < 3; i++)
		show(buf[i], &cb[i]);
}

static void asynchronous(void)
{
	struct sigaction act = { .sa_sigaction = by_signal, .sa_flags = SA_SIGINFO };
	char name[] = "/tmp/heddle-aio-XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	sem_init(&told, 0, 0);
	sigaction(SIGUSR1, &act, NULL);
	one_request(fd);
	lists(fd);
	close(fd);
}

static void names(void)
{
	struct addrinfo hint = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM };
	struct gaicb one = { .ar_name = "127.0.0.1", .ar_request = &hint }, *list[] = { &one };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD,
				  .sigev_notify_function = by_thread,
				  .sigev_value.sival_int = 3 };

	printf("wait %d\n", getaddrinfo_a(GAI_WAIT, list, 1, NULL));
	printf("found %d\n", gai_error(&one) == 0 && one.ar_result);
	freeaddrinfo(one.ar_result);
	printf("later %d\n", getaddrinfo_a(GAI_NOWAIT, list, 1, &event));
	wait_for_thread(3);
	printf("found %d\n", gai_error(&one) == 0 && one.ar_result);
	freeaddrinfo(one.ar_result);
	getaddrinfo_a(GAI_NOWAIT, list, 1, NULL);
	while (gai_error(&one) == EAI_INPROGRESS)
		;
	printf("done %d\n", gai_suspend((const struct gaicb *const *)list, 1, NULL) == EAI_ALLDONE);
	freeaddrinfo(one.ar_result);
}

static void queue(void)
{
	struct mq_attr attr = { .mq_maxmsg = 2, .mq_msgsize = 8 };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD,
				  .sigev_notify_function = by_thread,
				  .sigev_value.sival_int = 2 };
	char name[32], got[8];
	mqd_t q;

	snprintf(name, sizeof(name), "/heddle-%d", getpid());
	q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	if (q < 0) {
		puts("no queue");
		return;
	}
	mq_unlink(name);
	printf("notify %d\n", mq_notify(q, &event));
	printf("twice %d\n", mq_notify(q, &event));
	printf("off %d\n", mq_notify(q, NULL));
	printf("again %d\n", mq_notify(q, &event));
	mq_send(q, "hello", 6, 0);
	wait_for_thread(2);
	printf("%d\n", (int)mq_receive(q, got, sizeof(got), NULL));
	mq_close(q);
}

/* A thread waits for what another asks of the kernel; nobody else can end the wait. */
static struct {
	int fd;
	unsigned *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail;
} ring;

static void *completes(void *arg)
{
	long r = syscall(SYS_io_uring_enter, ring.fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);

	pthread_mutex_lock(&lock);
	heard = r == 0 && *(volatile unsigned *)ring.cq_tail == 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void uring(void)
{
	struct io_uring_params p = { 0 };
	struct io_uring_sqe *sqes;
	pthread_t thread;
	char *sq;
	int pipes[2];

	ring.fd = (int)syscall(SYS_io_uring_setup, 4, &p);
	if (ring.fd < 0) {
		puts("no io_uring");
		return;
	}
	if (pipe(pipes))
		exit(9);
	sq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe) + 4096,
		  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQES);
	ring.sq_tail = (unsigned *)(sq + p.sq_off.tail);
	ring.sq_array = (unsigned *)(sq + p.sq_off.array);
	ring.cq_tail = (unsigned *)(sq + p.cq_off.tail);
	sqes[0] = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .fd = pipes[0], .addr = (unsigned long)buf[0], .len = 1
	};
	ring.sq_array[0] = 0;
	__atomic_store_n(ring.sq_tail, 1, __ATOMIC_RELEASE);
	printf("submitted %ld\n", syscall(SYS_io_uring_enter, ring.fd, 1, 0, 0, NULL, 0));
	pthread_create(&thread, NULL, completes, NULL);
	if (write(pipes[1], "x", 1) != 1) /* what the kernel waits for is our own doing */
		exit(9);
	wait_for_thread(1);
	pthread_join(thread, NULL);
	printf("%c\n", buf[0][0]);
}

static int cloned(void *arg)
{
	*(volatile int *)arg = 1;
	return 0;
}

static void thread_by_clone(void)
{
	static char stack[65536];
	static volatile int flag;
	int status = 0;
	pid_t pid = clone(cloned, stack + sizeof(stack), CLONE_VM | SIGCHLD, (void *)&flag);

	while (!flag)
		;
	waitpid(pid, &status, 0);
	printf("cloned %d\n", status);
}

static void race(void)
{
	struct aiocb cb = { 0 };

	cb = request(open("/proc/self/exe", O_RDONLY), 1, LIO_READ);
	aio_read(&cb);
	buf[1][1] = 'x';
	while (aio_error(&cb) == EINPROGRESS)
		;
	printf("read %d\n", (int)aio_return(&cb));
}

int main(int argc, char **argv)
{
	switch (argv[1][0]) {
	case 'a':
		asynchronous();
		break;
	case 'n':
		names();
		break;
	case 'q':
		queue();
		break;
	case 'u':
		uring();
		break;
	case 'c':
		thread_by_clone();
		break;
	default:
		race();
	}
	return 0;
}
