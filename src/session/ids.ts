/** Makes a new identifier at every call. Two calls never return the same text. */
export type IdSource = () => string;

/** Random version 4 UUIDs from the runtime's Web Crypto. */
export const randomIds: IdSource = () => globalThis.crypto.randomUUID();
