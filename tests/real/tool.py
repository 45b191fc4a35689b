"""Programs that do their work and say so."""
from harness import Failed, Program, run


class Tool(Program):
    arguments = search_arguments = ()  # for one use, and for check and explore
    says = b""  # part of its output if all is well

    def use(self, command, cwd):
        output = run([*command, *self.arguments], cwd=cwd, ok=(0, 1))
        if self.says not in output:
            raise Failed(f"{command} does not say {self.says}:\n{output[-2000:].decode(errors='replace')}")
        return output

    def search(self, command, cwd):
        return run([*command, *self.search_arguments], cwd=cwd, ok=(0, 1, 2, 4))
