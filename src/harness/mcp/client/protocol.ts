/**
 * How the version of the protocol is found: `'legacy'` by the handshake of the versions up to 2025-11-25, `'auto'` by asking for 2026-07-28 first, or
 * 2026-07-28 and no other.
 */
export type McpProtocol = 'legacy' | 'auto' | '2026-07-28';
