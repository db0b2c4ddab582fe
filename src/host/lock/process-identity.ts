import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../disk/system-error.ts';

/** Identifies a process, also against a later one with the same pid. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** Its start time in clock ticks; '' where that is unknown. */
  readonly startedAt: string;
}

export function presentProcess(): ProcessIdentity {
  return { host: hostname(), pid: process.pid, startedAt: startOf(process.pid) ?? '' };
}

/** Whether a process is or was on another machine. */
export function isElsewhere({ host }: ProcessIdentity): boolean {
  return host !== hostname();
}

/** False only when the process has certainly ended. A process on another machine may be alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (isElsewhere(identity)) return true;
  const { pid, startedAt } = identity;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  const start = startOf(pid);
  return startedAt === '' || start === undefined || start === startedAt;
}

/** Linux lists the start time after the name, which is in parentheses and may contain anything. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent has not collected its status yet.
    return fields[0] === 'Z' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}

/** The identity that a file holds as JSON, parsed; undefined for what is not a whole one. */
export function readIdentity(value: unknown): ProcessIdentity | undefined {
  const { host, pid, startedAt } = Object(value);
  const isWhole = typeof host === 'string' && typeof pid === 'number' && typeof startedAt === 'string';
  return isWhole ? { host, pid, startedAt } : undefined;
}
