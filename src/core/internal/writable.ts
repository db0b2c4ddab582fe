/** `T` while it is being built: its members may be set. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
