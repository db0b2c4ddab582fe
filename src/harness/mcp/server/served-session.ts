import type { McpServer } from '@modelcontextprotocol/server';
import { describeError } from '../../../core/error/index.ts';
import type { ToolRuntime } from '../../../core/evaluation/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { Prompt } from '../../../core/prompt/index.ts';
import { type Session, systemClock } from '../../../core/session/index.ts';
import { silentLogger } from '../../../core/tool/index.ts';
import { openToolRuntime } from '../../../durable/index.ts';
import { randomId } from '../wire/random-id.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import { CallEvents } from './call-events.ts';
import { OpenCalls } from './open-calls.ts';
import { createProtocolServer } from './protocol-server.ts';
import { ServedPrompts } from './served-prompts.ts';
import { ServedResources } from './served-resources.ts';
import { ServedTools, type ServedToolsOptions } from './served-tools.ts';
import type { McpServerOptions } from './server-options.ts';

/** How long a client may take for an answer. */
const answerTimeoutMs = 600_000;
/** That of an evaluation. */
const defaultMaxConcurrentCalls = 8;

/** What a session of a runtime is called, and what its results carry. */
type ServedRuntimeOptions = Pick<
  McpServerOptions,
  'name' | 'version' | 'instructions' | 'structured' | 'resources' | 'prompts' | 'logger' | 'clock'
>;

/** A runtime, with what gets its events and answers its questions. */
interface ServedParts {
  readonly runtime: ServedToolsOptions['runtime'];
  /** An observer of the runtime. */
  readonly events: CallEvents;
  readonly calls: OpenCalls;
  /** The runtime, when it ends with the session. */
  readonly owned: ToolRuntime | undefined;
  /** A session that was made for the runtime, and ends with it. */
  readonly session: Session | undefined;
}

/** A session whose tools are served: a tool runtime, and the calls of its clients. */
export class ServedSession implements AsyncDisposable {
  readonly #sdk: McpServerSdk;
  readonly #options: ServedRuntimeOptions;
  readonly #parts: ServedParts;
  readonly #tools: ServedTools;
  readonly #resources: ServedResources | undefined;
  readonly #prompts: ServedPrompts | undefined;

  private constructor(sdk: McpServerSdk, options: ServedRuntimeOptions, parts: ServedParts) {
    this.#sdk = sdk;
    this.#options = options;
    this.#parts = parts;
    const { instructions, structured } = options;
    const { events, owned, runtime } = parts;
    const tools = new ServedTools({ runtime, events, structured, instructions });
    this.#tools = tools;
    const { filesystem, sections } = owned?.['~offered'] ?? {};
    const { prompts = false, resources = false } = options;
    this.#resources =
      resources && filesystem !== undefined ? new ServedResources({ sdk, tools, filesystem }) : undefined;
    this.#prompts =
      prompts && owned !== undefined && sections !== undefined
        ? new ServedPrompts({ sdk, sections, session: owned.session })
        : undefined;
  }

  /**
   * Opens a runtime, which ends with the session.
   *
   * @throws what `openToolRuntime` throws.
   */
  static async open(sdk: McpServerSdk, prompt: Prompt, options: McpServerOptions): Promise<ServedSession> {
    const { structured: _structured, instructions: _text, resources: _files, ...named } = options;
    const { prompts: _sections, ...others } = named;
    const { approve, name, observers = [], openSession, version: _version, ...runtimeOptions } = others;
    const events = new CallEvents();
    const calls = openCalls(options);
    const approver = approve === 'elicit' ? calls.approve : approve;
    const askUser = runtimeOptions.askUser ?? calls.askUser;
    const { observers: ownObservers = [], ...own } = (await openSession?.()) ?? {};
    try {
      const runtime = await openToolRuntime(prompt, {
        ...runtimeOptions,
        ...own,
        askUser,
        name,
        observers: [events, ...observers, ...ownObservers],
        ...present({ approve: approver }),
      });
      return new ServedSession(sdk, options, {
        runtime,
        events,
        calls,
        owned: runtime,
        session: own.session,
      });
    } catch (error) {
      await own.session?.[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A session of an open runtime, which continues after it. Its questions are its owner's. */
  static of(
    sdk: McpServerSdk,
    { events, runtime }: Pick<ServedParts, 'events' | 'runtime'>,
    options: ServedRuntimeOptions,
  ): ServedSession {
    return new ServedSession(sdk, options, {
      runtime,
      events,
      calls: openCalls(options),
      owned: undefined,
      session: undefined,
    });
  }

  /** A server of the SDK for one connection, or for one request. */
  createServer(): McpServer {
    const { clock = systemClock, logger = silentLogger, name, version } = this.#options;
    const { calls } = this.#parts;
    return createProtocolServer(this.#sdk, {
      name,
      version,
      calls,
      clock,
      logger,
      tools: this.#tools,
      resources: this.#resources,
      prompts: this.#prompts,
    });
  }

  /** Calls `listener` when the list of tools has changed. @returns ends it. */
  onListChanged(listener: () => void): () => void {
    return this.#tools.onListChanged(listener);
  }

  /** Notifies the client of this server when the list of tools has changed, while it is connected. @returns ends it. */
  notifyListChanged(server: McpServer): () => void {
    return this.onListChanged(() => {
      if (!server.isConnected()) return;
      server.server.sendToolListChanged().catch((error: unknown) => {
        const { logger = silentLogger } = this.#options;
        logger.debug('A client could not be notified.', { error: describeError(error) });
      });
    });
  }

  /** Aborts running calls, so that their requests are answered, and releases the runtime. Never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { calls, owned, session } = this.#parts;
    calls.dispose();
    await owned?.[Symbol.asyncDispose]();
    try {
      await session?.[Symbol.asyncDispose]();
    } catch (error) {
      const { logger = silentLogger } = this.#options;
      logger.error('A session could not be disposed.', { error: describeError(error) });
    }
  }
}

function openCalls({
  clock = systemClock,
  limits: { maxConcurrentCalls = defaultMaxConcurrentCalls } = {},
}: Pick<McpServerOptions, 'clock' | 'limits'>): OpenCalls {
  return new OpenCalls({ clock, randomId, answerTimeoutMs, maxConcurrentCalls });
}
