/** What one check has found. */
export interface Finding {
  readonly status: 'ok' | 'missing' | 'warning';
  /** What was checked, with its version. */
  readonly subject: string;
  /** What it is for, or what is wrong with it. */
  readonly about: string;
  /** The line that repairs it; undefined: there is nothing to repair. */
  readonly repair?: string;
  /** Whether nothing, or the agent that was named, works without it; not so when absent. */
  readonly isNeeded?: boolean;
}

/** Whether something is missing that is needed. */
export function isBlocking({ status, isNeeded = false }: Finding): boolean {
  return isNeeded && status !== 'ok';
}
