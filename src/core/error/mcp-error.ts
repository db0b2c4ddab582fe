import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link McpError}.
 *
 * - `mcp-unavailable`: the server could not be started or reached, or did not answer in time; the message has the reason.
 * - `mcp-unauthorized`: the server refused the credentials, or there were none.
 * - `mcp-tools-invalid`: the server offers no tools, or more than are allowed.
 * - `mcp-pin-mismatched`: the tools are not those that were pinned; `details.actual` is the hash of what the server offers.
 */
export type McpErrorCode =
  | 'mcp-unavailable'
  | 'mcp-unauthorized'
  | 'mcp-tools-invalid'
  | 'mcp-pin-mismatched';

/** A server of the Model Context Protocol whose tools cannot be mounted. `details.server` is the key of the section. */
export class McpError extends WinkError<McpErrorCode> {
  constructor(code: McpErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('McpError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is McpError {
    return hasErrorMarker(value, 'McpError');
  }
}
