/** STATE rolls back with a failed tool call; LOG only ever grows, and keeps what a failed call wrote. */
export type SlicePolicy = StoredSlice['policy'];

/** A stored slice of any item type. Every {@link Slice} is one. Made by `defineSlice` only. */
export interface StoredSlice {
  readonly kind: 'slice';
  /** Identifies the slice within a session and in patches. */
  readonly name: string;
  readonly policy: 'state' | 'log';
  /** True when items are addressed by a key. */
  readonly keyed: boolean;
  /** True for state of the runtime itself, which a `restore` inside a tool call leaves alone. */
  readonly systemState: boolean;
}

/**
 * A typed list of items in a session.
 * @see docs/spec/session.md §2
 */
export interface Slice<in out T> extends StoredSlice {
  /** Carries the type for the compiler; never present at run time. */
  readonly '~item'?: (item: T) => T;
}
