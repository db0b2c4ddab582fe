import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../core/internal/index.ts';
import type { RunLeaseIdentity } from '../../core/runtime/index.ts';
import { isAlive, type ProcessIdentity, presentProcess } from './process-identity.ts';

/** A lease, and the process that holds it. */
interface LeaseOwner {
  readonly lease: RunLeaseIdentity;
  readonly process: ProcessIdentity;
}

// Beside the lock of the folder, but not in it: a process without a journal takes that one over.
const ownerFileName = 'lease';

/**
 * Writes down that this process holds the lease of a folder, so that the next one sees when it has ended. Does nothing when that cannot be written: the
 * next process waits for the time-out of the lease then.
 *
 * @param stateFolder the folder of lock and journal.
 */
export function rememberLease(stateFolder: string, { owner, epoch }: RunLeaseIdentity): void {
  const record: LeaseOwner = { lease: { owner, epoch }, process: presentProcess() };
  try {
    writeFileSync(join(stateFolder, ownerFileName), JSON.stringify(record), { mode: 0o600 });
  } catch {
    // Nothing depends on it.
  }
}

/** Removes what {@link rememberLease} has written of this lease. */
export function forgetLease(stateFolder: string, { owner }: RunLeaseIdentity): void {
  try {
    if (readOwner(stateFolder)?.lease.owner === owner) unlinkSync(join(stateFolder, ownerFileName));
  } catch {
    // It says that the lease has an owner, which the journal denies.
  }
}

/** The lease of the process that had the folder last, when that process has certainly ended; undefined otherwise. */
export function endedLease(stateFolder: string): RunLeaseIdentity | undefined {
  const owner = readOwner(stateFolder);
  return owner === undefined || isAlive(owner.process) ? undefined : owner.lease;
}

/** Undefined when there is none, and when it was cut off while it was written. */
function readOwner(stateFolder: string): LeaseOwner | undefined {
  try {
    const { lease, process } = Object(JSON.parse(readFileSync(join(stateFolder, ownerFileName), 'utf8')));
    if (!isRecord(lease) || !isRecord(process)) return undefined;
    const { owner, epoch } = lease;
    const { host, pid, startedAt } = process;
    const isWhole =
      typeof owner === 'string' &&
      typeof epoch === 'number' &&
      typeof host === 'string' &&
      typeof pid === 'number' &&
      typeof startedAt === 'string';
    return isWhole ? { lease: { owner, epoch }, process: { host, pid, startedAt } } : undefined;
  } catch {
    return undefined;
  }
}
