/*
 * Linked into every program and library by `heddle cc`: which version of it that was. The command
 * looks for the note before it starts a program (cli/program_file.c).
 */
__asm__(".pushsection .note.heddle, \"a\", @note\n"
	".balign 4\n"
	".long 1f - 0f, 3f - 2f, 1\n"
	"0: .asciz \"Heddle\"\n"
	"1: .balign 4\n"
	"2: .asciz \"" HD_BUILT "\"\n"
	"3: .balign 4\n"
	".popsection\n");
