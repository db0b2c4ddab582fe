import type { ChildProcess } from 'node:child_process';
import { kill } from 'node:process';

/**
 * Sends a signal to all processes of a group.
 *
 * @param child its leader.
 * @returns whether the signal was sent. Never throws.
 */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): boolean {
  if (child.pid === undefined) return false;
  try {
    return kill(-child.pid, signal);
  } catch {
    // The group has ended, or the system has no process groups.
    return child.kill(signal);
  }
}
