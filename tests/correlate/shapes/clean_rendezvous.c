/*
 * Two semaphores: one writes, then the other.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static int ball, score;
static sem_t ping, pong;

static void *player(void *arg)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&ping);
		ball++;
		score += ball;
		sem_post(&pong);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	pthread_create(&t, NULL, player, NULL);
	for (int i = 0; i < 3; i++) {
		ball *= 2;
		sem_post(&ping);
		sem_wait(&pong);
		score -= ball;
	}
	pthread_join(t, NULL);
	printf("%d %d\n", ball, score);
	return 0;
}
