import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../disk/system-error.ts';

/** Identifies a process, also against a later one with the same pid. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** Its start time in clock ticks; '' where that is unknown. */
  readonly startedAt: string;
  /** Where its pid counts: the boot of the machine and the namespace of processes, as of a container; '' where that is unknown. */
  readonly space: string;
}

export function presentProcess(): ProcessIdentity {
  return {
    host: presentHost(),
    pid: process.pid,
    startedAt: startOf(process.pid) ?? '',
    space: presentSpace(),
  };
}

/** Whether a process can be seen from here: another container may have the same name, and other processes under the same numbers. */
export function isNearby(identity: ProcessIdentity): boolean {
  return !isElsewhere(identity) && identity.space !== '' && identity.space === presentSpace();
}

/** Whether a process is or was on another machine. */
export function isElsewhere({ host }: ProcessIdentity): boolean {
  return host !== presentHost();
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

let hostName: string | undefined;

/** Each append asks for it: a system call would be a tenth of what the database takes. */
function presentHost(): string {
  hostName ??= hostname();
  return hostName;
}

let space: string | undefined;

/** Only Linux has namespaces of processes. */
function presentSpace(): string {
  space ??= process.platform === 'linux' ? linuxSpace() : process.platform;
  return space;
}

function linuxSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
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

/** True only when a process could be seen from here, and has ended. */
export function hasEnded(identity: ProcessIdentity): boolean {
  return isNearby(identity) && !isAlive(identity);
}

/** The process that a lease names, as `JSON.stringify(presentProcess())` wrote it; undefined where the text names none. */
export function holderIn(text: string): ProcessIdentity | undefined {
  try {
    return readIdentity(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The identity that a file holds as JSON, parsed; undefined for what is not a whole one. */
export function readIdentity(value: unknown): ProcessIdentity | undefined {
  // Versions before 0.2 did not write down where the pid counts.
  const { host, pid, startedAt, space: within = '' } = Object(value);
  const isWhole =
    typeof host === 'string' &&
    typeof pid === 'number' &&
    typeof startedAt === 'string' &&
    typeof within === 'string';
  return isWhole ? { host, pid, startedAt, space: within } : undefined;
}

/** Milliseconds since the machine has started: all its processes have it in common, and no one can set it. */
export function machineTickMs(): number {
  return Math.floor(Number(process.hrtime.bigint()) / 1_000_000);
}
