/**
 * One read of a fork, on which its outcome may depend: a whole STATE slice, a whole LOG slice, one key of a keyed slice (also an absent
 * one), or the STATE slices that a restore put back.
 */
export interface SessionRead {
  readonly kind: 'slice' | 'log' | 'key' | 'restore';
  /** The read in a short phrase, such as `slice plan`: what `conflicts()` would say of it. */
  readonly what: string;
  /** Absent for `restore`. */
  readonly slice?: string;
  /** Only for `key`. */
  readonly key?: string;
  /** What was found when the fork was made, as JSON; only where it is asked for. */
  readonly result?: string;
}

/** Whether a read is one of a session, and not of files. */
export function isSessionRead(read: { readonly kind: string }): read is SessionRead {
  return read.kind === 'slice' || read.kind === 'log' || read.kind === 'key' || read.kind === 'restore';
}
