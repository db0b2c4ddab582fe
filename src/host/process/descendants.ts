import { readdir, readFile } from 'node:fs/promises';
import { kill, pid as ownPid, platform } from 'node:process';

/** Rounds of a search: a process that is found may have started another one meanwhile. */
const maxRounds = 20;

/** The variable by which a process is found that has left its group: the traces of all those that started it, one after the other. */
export const traceVariable = 'WEAKINCENTIVES_STARTED_BY';

/**
 * Kills the processes that have a trace in their environment, and all that these have started: also those that left the group and the session
 * of the process that started them. Does nothing where there is no `/proc`. Never rejects.
 *
 * What it cannot find is a process without the variable in its environment whose parent has ended.
 *
 * @param trace what the value of {@link traceVariable} contains; no other process has it.
 */
export async function killTraced(trace: string): Promise<void> {
  if (platform !== 'linux') return;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await traced(trace);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        kill(pid, 'SIGKILL');
      } catch {
        // It has ended, or belongs to someone else now.
      }
    }
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly isTraced: boolean;
}

async function traced(trace: string): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const processes: Process[] = [];
  // One after the other: many files that are open at once could be too many.
  for (const pid of pids) {
    const found = pid === ownPid ? undefined : await readProcess(pid, trace);
    if (found !== undefined) processes.push(found);
  }
  const found = new Set(processes.flatMap(({ isTraced, pid }) => (isTraced ? [pid] : [])));
  // A set takes in what is added to it meanwhile.
  for (const pid of found) for (const each of processes) if (each.parent === pid) found.add(each.pid);
  return [...found];
}

/** Undefined for a process that has ended, one that only waits for its parent included, and for one that belongs to someone else. */
async function readProcess(pid: number, trace: string): Promise<Process | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The name of the program is in parentheses, and may have any characters.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    const isTraced = environment
      .split('\0')
      .some((variable) => variable.startsWith(`${traceVariable}=`) && variable.includes(trace));
    return { pid, parent: Number(parent), isTraced };
  } catch {
    return undefined;
  }
}
