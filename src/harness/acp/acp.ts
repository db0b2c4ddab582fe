import type {
  ClientConnection,
  ContentBlock,
  InitializeResponse,
  StopReason,
} from '@agentclientprotocol/sdk';
import { assertOptions, matching, PromptValidationError, required } from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present, untilAborted } from '../../core/internal/index.ts';
import type { FinishReason, InputPart } from '../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { openPrivateFolder } from '../../host/index.ts';
import {
  type AgentHarness,
  type HarnessOutcome,
  type HarnessRequest,
  type HarnessRunOptions,
  harnessAdapter,
} from '../kit/index.ts';
import type { AcpOptions } from './acp-options.ts';
import { type AcpSdk, loadAcpSdk } from './acp-sdk.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { AnnouncedCalls } from './announced-calls.ts';
import { MessageLog } from './message-log.ts';
import { choosePermission } from './permissions.ts';
import { openHttpTools, openRelayedTools, type ToolEndpoint } from './tool-endpoint.ts';

/**
 * An adapter for an agent that speaks the Agent Client Protocol: OpenCode, Codex through its bridge, Gemini CLI and others. The agent runs its own loop with its own model; its model gets
 * the tools of the prompt over the Model Context Protocol, and every call of them is a transaction under the policies of the prompt. Each run starts an agent of its own.
 *
 * The prompt is the beginning of the first message, since the protocol has no place for instructions. A structured answer is given by the tool `finish`. What the protocol does not
 * report, such as tokens and single turns, is refused as an option: `limits.budget`, `limits.maxTurns`.
 *
 * @throws {PromptValidationError} for an option of the wrong kind or out of its range.
 * @see docs/spec/harnesses.md §7
 */
export function acp(options: AcpOptions): ProviderAdapter {
  assertOptions('acp()', options, {
    command: required(matching(/./, 'the name or the path of a program')),
    args: 'array',
    env: 'object',
    cwd: 'string',
    permissions: 'function',
    name: 'string',
    adapter: 'object',
  });
  const { adapter, ...harness } = options;
  return harnessAdapter({
    harness: acpHarness(harness),
    ...present({ adapter }),
  });
}

type HarnessSettings = Omit<AcpOptions, 'adapter'>;

const protocolVersion = 1;
/** How long an agent may take to start a session. */
const startTimeoutMs = 120_000;
/** How long an agent may take to stop its session by itself after it was asked to. */
const cancelMs = 2_000;
/** How long an agent whose output has ended may take to end, too. */
const exitMs = 2_000;

const finishReasons: Readonly<Record<StopReason, FinishReason>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  max_turn_requests: 'length',
  refusal: 'refusal',
  cancelled: 'stop',
};

/** The harness of an agent whose options were checked. */
function acpHarness(settings: HarnessSettings): AgentHarness {
  const { command } = settings;
  const program = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  return {
    name: settings.name ?? `acp ${program}`,
    capabilities: { streaming: true, followUps: true, addedTools: true, input: ['image'] },
    run: async (request, options) => new AcpRun(settings, request, options).run(),
  };
}

/** One run of an agent. */
class AcpRun {
  readonly #settings: HarnessSettings;
  readonly #request: HarnessRequest;
  readonly #options: HarnessRunOptions;
  readonly #messages: MessageLog;
  readonly #calls = new AnnouncedCalls();
  readonly #serverName = `wink_${randomName()}`;
  readonly #clock: Clock;
  #hasSession = false;

  constructor(settings: HarnessSettings, request: HarnessRequest, options: HarnessRunOptions) {
    this.#settings = settings;
    this.#request = request;
    this.#options = options;
    this.#messages = new MessageLog(options);
    const { clock } = options;
    this.#clock = {
      now: () => systemClock.now(),
      schedule: (delayMs, callback) => clock.schedule(delayMs, callback),
    };
  }

  async run(): Promise<HarnessOutcome> {
    const sdk = await loadAcpSdk();
    const { args = [], command, cwd, env = {} } = this.#settings;
    const { logger } = this.#options;
    await using own = cwd === undefined ? await openPrivateFolder() : undefined;
    const folder = cwd ?? own?.path ?? '.';
    await using agent = await startAgent({ command, args, env, cwd: folder }, this.#clock, logger);
    const connection = this.#connect(sdk, agent);
    const ended = agent.ended.then((how) => {
      throw new Error(`The agent ${how} before it had answered.`);
    });
    const conversation = this.#converse(connection, folder).catch((error: unknown) => {
      // The way it ended says more than that its output has.
      if (connection.signal.aborted && !this.#options.signal.aborted) return this.#reasonOf(ended, error);
      throw error;
    });
    const abandoned = this.#abandoned();
    for (const each of [conversation, ended, abandoned.promise]) each.catch(() => undefined);
    try {
      return await Promise.race([conversation, ended, abandoned.promise]);
    } catch (error) {
      throw readable(sdk, error);
    } finally {
      abandoned.end();
      connection.close();
      // Its requests are rejected now, and it closes what it has opened.
      await conversation.catch(() => undefined);
    }
  }

  /** Rejects as `ended` does, or with `error` after a while. */
  #reasonOf(ended: Promise<never>, error: unknown): Promise<never> {
    let cancelTimeout = (): void => undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      cancelTimeout = this.#clock.schedule(exitMs, () => reject(error));
    });
    return Promise.race([ended, timeout]).finally(() => cancelTimeout());
  }

  /** Rejects when the agent has not stopped by itself some time after it was asked to; without a session it cannot be asked. */
  #abandoned(): { readonly promise: Promise<never>; readonly end: () => void } {
    const { clock, signal } = this.#options;
    let cancelTimeout: (() => void) | undefined;
    let abort = (): void => undefined;
    const promise = new Promise<never>((_resolve, reject) => {
      abort = () => {
        if (this.#hasSession) cancelTimeout = clock.schedule(cancelMs, () => reject(signal.reason));
        else reject(signal.reason);
      };
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return {
      promise,
      end: () => {
        signal.removeEventListener('abort', abort);
        cancelTimeout?.();
      },
    };
  }

  #connect(sdk: AcpSdk, { input, output }: AgentProcess): ClientConnection {
    const { logger } = this.#options;
    const { permissions } = this.#settings;
    return sdk
      .client({ name: 'weakincentives' })
      .onRequest('session/request_permission', ({ params }) => {
        const optionId = choosePermission(this.#calls.describe(params.toolCall), params.options, {
          serverName: this.#serverName,
          tools: this.#request.tools.tools,
          permissions,
          logger,
        });
        return {
          outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
        };
      })
      .onNotification('session/update', ({ params }) => {
        this.#calls.take(params.update);
        return this.#messages.take(params);
      })
      .connect(sdk.ndJsonStream(input, output));
  }

  async #converse(connection: ClientConnection, cwd: string): Promise<HarnessOutcome> {
    const { agent } = connection;
    const { clock } = this.#options;
    const started = new AbortController();
    const cancelTimeout = clock.schedule(startTimeoutMs, () =>
      started.abort(new Error(`The agent did not start a session within ${startTimeoutMs} ms.`)),
    );
    let endpoint: ToolEndpoint | undefined;
    try {
      const start = async (): Promise<{ readonly sessionId: string; readonly info: InitializeResponse }> => {
        const info = await agent.request('initialize', {
          protocolVersion,
          // Without these the agent cannot read or write files, or run commands, through this process.
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
          clientInfo: { name: 'weakincentives', version: '1.0.0' },
        });
        if (info.protocolVersion !== protocolVersion) {
          throw new Error(
            `The agent speaks version ${info.protocolVersion} of the Agent Client Protocol; version ${protocolVersion} is supported.`,
          );
        }
        endpoint = await this.#openTools(info);
        const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [endpoint.server] });
        return { sessionId, info };
      };
      const { info, sessionId } = await untilAborted(start(), started.signal);
      cancelTimeout();
      return await this.#ask(connection, sessionId, info);
    } finally {
      cancelTimeout();
      await endpoint?.[Symbol.asyncDispose]();
    }
  }

  #openTools({ agentCapabilities }: InitializeResponse): Promise<ToolEndpoint> {
    const { logger } = this.#options;
    const { tools } = this.#request;
    const served = { tools, serverName: this.#serverName, clock: this.#clock, logger };
    return agentCapabilities?.mcpCapabilities?.http === true
      ? openHttpTools(served)
      : openRelayedTools(served);
  }

  async #ask(
    connection: ClientConnection,
    sessionId: string,
    info: InitializeResponse,
  ): Promise<HarnessOutcome> {
    const { agent } = connection;
    const { onAnswer, signal } = this.#options;
    let prompt: ContentBlock[] = this.#firstMessage(info);
    const cancel = (): void => void agent.notify('session/cancel', { sessionId }).catch(() => undefined);
    signal.throwIfAborted();
    this.#hasSession = true;
    signal.addEventListener('abort', cancel, { once: true });
    try {
      for (;;) {
        this.#messages.begin();
        const { stopReason } = await agent.request('session/prompt', { sessionId, prompt });
        signal.throwIfAborted();
        const answer = { text: this.#messages.text, finishReason: finishReasons[stopReason] };
        const next = await onAnswer(answer);
        if (next === undefined) return { ...answer, sessionId, ...this.#cost() };
        prompt = [{ type: 'text', text: next }];
      }
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  #cost(): Pick<HarnessOutcome, 'costUsd'> {
    const { costUsd } = this.#messages;
    return costUsd === undefined ? {} : { costUsd };
  }

  /** The instructions, then what the user says. */
  #firstMessage({ agentCapabilities }: InitializeResponse): ContentBlock[] {
    const { input, instructions } = this.#request;
    const takesImages = agentCapabilities?.promptCapabilities?.image === true;
    return [
      ...(instructions === '' ? [] : [{ type: 'text', text: instructions } as const]),
      ...input.map((part) => blockOf(part, takesImages)),
    ];
  }
}

function blockOf(part: InputPart, takesImages: boolean): ContentBlock {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image' && takesImages && !part.data.includes(':'))
    return { type: 'image', data: part.data, mimeType: part.mediaType };
  throw new PromptValidationError(
    part.type === 'image'
      ? 'The agent does not take images in a message, or not by their address: put the image into a file that a tool reads.'
      : 'An agent takes no files in a message: put the file where a tool reads it.',
    { details: { option: 'input' } },
  );
}

/** An error of the protocol with what the agent says of it; a login is the usual reason. */
function readable(sdk: AcpSdk, error: unknown): unknown {
  if (!(error instanceof sdk.RequestError)) return error;
  const login =
    error.code === authRequired ? ' Log in with the program of the agent, or pass its key in env.' : '';
  return new Error(`The agent refused a request: ${error.message}.${login}`, { cause: error });
}

const authRequired = -32_000;

const letters = 'bcdfghjkmnpqrstvwxz';
const length = 8;

/** Some random letters, for a name that no tool has. */
function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
}
