"""Random functions in one program under the Valgrind tool: what each of them prints."""
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MAIN = """int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
%s	return 0;
}
"""


def tool_folder(build):
    """Where the tool is; None: it was not built."""
    folder = os.path.join(os.path.abspath(build), "src", "correlate")
    return folder if os.path.exists(os.path.join(folder, "heddle-amd64-linux")) else None


def run(head, texts, compiler, level, folder):
    """The words that functions f0, f1, ... print, whose @texts come after @head, which has nothing()."""
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "functions.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(head + "".join(texts) + MAIN % "".join(f"\tf{i}();\n" for i in range(len(texts))))
        subprocess.run([compiler, level, "-w", "-I/usr/include/valgrind",
                        "-I" + os.path.join(HERE, "..", "..", "src", "correlate"),
                        "-o", source[:-2], source, "-pthread"], check=True)
        return subprocess.run(["valgrind", "-q", "--tool=heddle", source[:-2]], check=True,
                              env=dict(os.environ, VALGRIND_LIB=folder), timeout=600,
                              capture_output=True, text=True).stdout.split()
