/* In place of the runtime for fake_target.c, which speaks for it: only its name is wanted. */
int hd_no_runtime(void);

int hd_no_runtime(void)
{
	return 0;
}
