import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link McpError}.
 *
 * - `mcp-unavailable`: the server could not be started or reached, or did not answer in time; the message has the reason.
 *   What to do: start the server by hand with the same command, or open its address. A message about a module or a port names the
 *   reason. A server that downloads something at its start may need `HTTPS_PROXY` or `NODE_EXTRA_CA_CERTS` in `env`.
 * - `mcp-unauthorized`: the server refused the credentials, or there were none.
 *   What to do: give the server's token in `headers`, or in the environment of its command.
 * - `mcp-tools-invalid`: the server offers no tools, or more than are allowed.
 *   What to do: name the tools that are wanted in `include`; a section mounts 128 at most.
 * - `mcp-pin-mismatched`: the tools are not those that were pinned; `details.actual` is the hash of what the server offers.
 *   What to do: read what has changed in the server's tools. When it is meant, pin `details.actual`.
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
