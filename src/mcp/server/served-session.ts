import type { McpServer } from '@modelcontextprotocol/server';
import { openToolRuntime } from '../../durable/index.ts';
import type { ToolRuntime } from '../../evaluation/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import { systemClock } from '../../session/index.ts';
import { silentLogger } from '../../tool/index.ts';
import { randomId } from '../wire/random-id.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import { CallEvents } from './call-events.ts';
import { OpenCalls } from './open-calls.ts';
import { createProtocolServer } from './protocol-server.ts';
import { ServedTools } from './served-tools.ts';
import type { McpServerOptions } from './server-options.ts';

const defaultAnswerTimeoutMs = 600_000;

/** A session whose tools are served: a tool runtime, and the calls of its clients. */
export class ServedSession {
  readonly #sdk: McpServerSdk;
  readonly #options: McpServerOptions;
  readonly #runtime: ToolRuntime;
  readonly #tools: ServedTools;
  readonly #calls: OpenCalls;

  private constructor(
    sdk: McpServerSdk,
    options: McpServerOptions,
    parts: { readonly runtime: ToolRuntime; readonly events: CallEvents; readonly calls: OpenCalls },
  ) {
    this.#sdk = sdk;
    this.#options = options;
    this.#runtime = parts.runtime;
    this.#calls = parts.calls;
    const { instructions, structured } = options;
    this.#tools = new ServedTools({ runtime: parts.runtime, events: parts.events, structured, instructions });
  }

  /** @throws what `openToolRuntime` throws. */
  static async open(sdk: McpServerSdk, prompt: Prompt, options: McpServerOptions): Promise<ServedSession> {
    const {
      name,
      version: _version,
      instructions: _text,
      structured: _structured,
      approve,
      ...others
    } = options;
    const { observers = [], approvalTimeoutMs = defaultAnswerTimeoutMs, ...runtimeOptions } = others;
    const { clock = systemClock } = runtimeOptions;
    const events = new CallEvents();
    const calls = new OpenCalls({ clock, randomId, answerTimeoutMs: approvalTimeoutMs });
    const approver = approve === 'elicit' ? calls.approve : approve;
    const runtime = await openToolRuntime(prompt, {
      ...runtimeOptions,
      name,
      observers: [events, ...observers],
      ...(approver === undefined ? {} : { approve: approver }),
    });
    return new ServedSession(sdk, options, { runtime, events, calls });
  }

  /** Aborted when the session ends by itself: by its deadline, its budget, a handler. */
  get signal(): AbortSignal {
    return this.#runtime.signal;
  }

  /** A server of the SDK for one connection, or for one request. */
  createServer(): McpServer {
    const { logger = silentLogger, name, version } = this.#options;
    return createProtocolServer(this.#sdk, { name, version, tools: this.#tools, calls: this.#calls, logger });
  }

  /** Calls `listener` when the list of tools has changed. @returns ends it. */
  onListChanged(listener: () => void): () => void {
    return this.#tools.onListChanged(listener);
  }

  /** Aborts running calls and releases the session. Never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#calls.dispose();
    await this.#runtime[Symbol.asyncDispose]();
  }
}
