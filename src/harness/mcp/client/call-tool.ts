import type { CallToolResult, Tool as McpTool, Progress } from '@modelcontextprotocol/client';
import { untilAborted } from '../../../core/internal/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import type { McpClientSdk } from '../wire/sdk.ts';
import { type McpConnection, noTimeLimitMs } from './connection.ts';
import { lostAnswer } from './server-transport.ts';

/** What became of a call. */
export type McpCallOutcome =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  /** The server, or HTTP, answered with an error instead of a result. The text is the server's. */
  | { readonly kind: 'refused'; readonly text: string }
  /** The server asked for something that only a person, or a model, could give. */
  | { readonly kind: 'input-required' }
  /** What came cannot be read as a result. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'timed-out'; readonly timeout: CallTimeout }
  /** The connection ended meanwhile; the reason is what the server did. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The server does not know the session any more, and so has not begun the call. */
  | { readonly kind: 'session-unknown' }
  | { readonly kind: 'unauthorized' };

/** Options of {@link callTool}. */
interface CallToolOptions {
  readonly sdk: McpClientSdk;
  readonly clock: Clock;
  readonly limits: { readonly callTimeoutMs: number; readonly maxTotalTimeoutMs: number };
  /** Cancels the call at the server. */
  readonly signal: AbortSignal;
  /** Called with each report of progress. Must not throw. */
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Calls a tool of a server. One that takes too long is canceled at the server.
 *
 * @throws the reason of the signal.
 */
export async function callTool(
  connection: McpConnection,
  call: { readonly tool: McpTool; readonly params: Readonly<Record<string, unknown>> },
  options: CallToolOptions,
): Promise<McpCallOutcome> {
  const { clock, limits, onProgress, sdk, signal } = options;
  const canceled = new AbortController();
  let expired: CallTimeout | undefined;
  const deadline = new CallDeadline(clock, limits, (timeout) => {
    expired = timeout;
    canceled.abort(new Error('The call took too long.'));
  });
  const stop = AbortSignal.any([signal, canceled.signal]);
  try {
    const answered = connection.client.callTool(
      { name: call.tool.name, arguments: { ...call.params } },
      {
        signal: stop,
        timeout: noTimeLimitMs,
        onprogress: (progress) => {
          deadline.progressed();
          onProgress(progress);
        },
        // With it the SDK looks nothing up. What it would check by the output schema is checked without generated code.
        toolDefinition: withoutOutputSchema(call.tool),
      },
    );
    return { kind: 'answered', result: await untilAborted(answered, stop) };
  } catch (error) {
    signal.throwIfAborted();
    if (expired !== undefined) return { kind: 'timed-out', timeout: expired };
    const isUnknown = await isSessionUnknown(sdk, connection, error, stop);
    signal.throwIfAborted();
    return isUnknown ? { kind: 'session-unknown' } : failureOf(sdk, connection, error);
  } finally {
    deadline.end();
  }
}

function withoutOutputSchema({ outputSchema: _outputSchema, ...tool }: McpTool): McpTool {
  return tool;
}

/**
 * Whether the server has refused a request because it does not know the session: with 404, as the protocol asks, or 410. Many servers answer 400, which
 * may also be about the arguments: then one question without any is asked in the same session.
 */
async function isSessionUnknown(
  sdk: McpClientSdk,
  connection: McpConnection,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (!connection.hasSession || !(error instanceof sdk.SdkHttpError)) return false;
  if (error.status === 404 || error.status === 410) return true;
  if (error.status !== 400) return false;
  try {
    await untilAborted(connection.client.ping({ signal, timeout: noTimeLimitMs }), signal);
    return false;
  } catch (reason) {
    return reason instanceof sdk.SdkHttpError && [400, 404, 410].includes(reason.status);
  }
}

function failureOf(sdk: McpClientSdk, connection: McpConnection, error: unknown): McpCallOutcome {
  if (error instanceof sdk.ProtocolError) {
    const isLost = error.code === lostAnswer.code && error.message === lostAnswer.message;
    return isLost ? lost(connection) : { kind: 'refused', text: error.message };
  }
  if (error instanceof sdk.SdkHttpError) {
    if (error.status === 401) return { kind: 'unauthorized' };
    return { kind: 'refused', text: `HTTP status ${error.status}` };
  }
  if (error instanceof sdk.SdkError) {
    switch (error.code) {
      case sdk.SdkErrorCode.UnsupportedResultType:
        return { kind: 'input-required' };
      case sdk.SdkErrorCode.InvalidResult:
      case sdk.SdkErrorCode.ClientHttpUnexpectedContent:
        return { kind: 'unreadable' };
      default:
        return lost(connection);
    }
  }
  // What should be JSON over HTTP and is not, or is not a message of the protocol.
  if (error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')) {
    return { kind: 'unreadable' };
  }
  return lost(connection);
}

function lost({ reason = 'ended the connection' }: McpConnection): McpCallOutcome {
  return { kind: 'lost', reason };
}

/** Which limit a call has exceeded. */
interface CallTimeout {
  /** Without progress, or in all. */
  readonly limit: 'progress' | 'total';
  readonly timeoutMs: number;
}

/** The time limits of a call: one that each progress begins anew, and one for the whole. */
class CallDeadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onExpired: (timeout: CallTimeout) => void;
  readonly #cancelTotal: () => void;
  #cancelIdle: () => void;

  constructor(
    clock: Clock,
    limits: { readonly callTimeoutMs: number; readonly maxTotalTimeoutMs: number },
    onExpired: (timeout: CallTimeout) => void,
  ) {
    const { callTimeoutMs, maxTotalTimeoutMs } = limits;
    this.#clock = clock;
    this.#timeoutMs = callTimeoutMs;
    this.#onExpired = onExpired;
    this.#cancelTotal = clock.schedule(maxTotalTimeoutMs, () =>
      onExpired({ limit: 'total', timeoutMs: maxTotalTimeoutMs }),
    );
    this.#cancelIdle = this.#schedule();
  }

  progressed(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#schedule();
  }

  end(): void {
    this.#cancelIdle();
    this.#cancelTotal();
  }

  #schedule(): () => void {
    return this.#clock.schedule(this.#timeoutMs, () =>
      this.#onExpired({ limit: 'progress', timeoutMs: this.#timeoutMs }),
    );
  }
}
