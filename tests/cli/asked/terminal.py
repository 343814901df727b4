"""Runs a program on a terminal of its own: waits for texts, types answers, and prints what the program showed.

    terminal.py '[["text to wait for", "what to type"], …]' PROGRAM ARGUMENT…

The last line is the exit code.
"""

import json
import os
import pty
import select
import sys
import time

LIMIT = 60


def main():
    steps, program = json.loads(sys.argv[1]), sys.argv[2:]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(program[0], program)
    shown, seen, ends = b"", 0, time.monotonic() + LIMIT
    while time.monotonic() < ends:
        if steps and (at := shown.find(steps[0][0].encode(), seen)) >= 0:
            seen = at + len(steps[0][0].encode())
            # The program shows its question a moment before it listens.
            time.sleep(0.3)
            os.write(terminal, steps.pop(0)[1].encode())
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more
    else:
        os.kill(child, 9)
    sys.stdout.buffer.write(shown)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(f"\nsteps left: {len(steps)}\n{code}")


main()
