import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../disk/system-error.ts';

/** What tells one process from every other, also from a later one with the same number. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** When it was started, in ticks of the machine; '' where that cannot be known. */
  readonly startedAt: string;
}

export function presentProcess(): ProcessIdentity {
  return { host: hostname(), pid: process.pid, startedAt: startOf(process.pid) ?? '' };
}

/** False only when the process certainly has ended. One of another machine may be alive. */
export function isAlive({ host, pid, startedAt }: ProcessIdentity): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  const start = startOf(pid);
  return startedAt === '' || start === undefined || start === startedAt;
}

/** Linux keeps the time of the start behind the name, which is in parentheses and may hold anything. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not asked yet.
    return fields[0] === 'Z' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}
