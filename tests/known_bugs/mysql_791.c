/*
 * MySQL 791: rotating the binary log closes it and opens it again; a statement that is logged in
 * between is lost.
 *
 * FAILS: exit
 * CAUSE: log_type
 * REMEDY: 'LOCK_log'
 */
#include <pthread.h>
#include <stdio.h>
enum { LOG_CLOSED, LOG_OPENED };
static pthread_mutex_t LOCK_log = PTHREAD_MUTEX_INITIALIZER;
static int log_type = LOG_OPENED, written, executed;
static void close_(void)
{
	pthread_mutex_lock(&LOCK_log);
	log_type = LOG_CLOSED;
	pthread_mutex_unlock(&LOCK_log);
}
static void open_(void)
{
	pthread_mutex_lock(&LOCK_log);
	log_type = LOG_OPENED;
	pthread_mutex_unlock(&LOCK_log);
}
static void *rotate(void *a)
{
#ifdef FIXED
	pthread_mutex_lock(&LOCK_log);
	log_type = LOG_CLOSED;
	log_type = LOG_OPENED;
	pthread_mutex_unlock(&LOCK_log);
#else
	close_();
	open_();
#endif
	return a;
}
static void *sql(void *a)
{
	pthread_mutex_lock(&LOCK_log);
	executed++;
	if (log_type == LOG_OPENED)
		written++;
	pthread_mutex_unlock(&LOCK_log);
	return a;
}
int main(void)
{
	pthread_t t[2];
	(void)close_;
	(void)open_;
	pthread_create(&t[0], NULL, rotate, NULL);
	pthread_create(&t[1], NULL, sql, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (written != executed) {
		fprintf(stderr, "binlog lacks %d of %d statements\n", executed - written, executed);
		return 1;
	}
	return 0;
}
