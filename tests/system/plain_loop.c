/* Built by the compiler alone, without heddle: nobody sees what this does. */
void loop_forever(volatile int *p)
{
	while (!*p) /* PLAIN */
		;
}
