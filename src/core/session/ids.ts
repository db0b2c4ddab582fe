/** Makes a new identifier at every call. Two calls never return the same text. */
export type IdSource = () => string;

/**
 * Random version 4 UUIDs from the runtime's Web Crypto. Node puts one together of fourteen pieces, which would stay in
 * memory as long as the id does, and take eight times its place: changing its case, which is lower already, joins them.
 */
export const randomIds: IdSource = () => globalThis.crypto.randomUUID().toLowerCase();
