import { describeError, SandboxError } from '../../../core/error/index.ts';
import { isRecord, present, startOf, untilAborted } from '../../../core/internal/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import { RemoteProcess } from '../../remote/index.ts';
import {
  type CodeEvaluationLanguage,
  type EvaluationReply,
  type EvaluationRequest,
  type EvaluatorFunctions,
  readReply,
  readUnusable,
  type UnusableEvaluator,
} from './protocol.ts';

const heapMib = 256;
const killFactor = 1.5;
/** A machine that is busy starts a process slowly. */
const startMs = 60_000;
const timeoutSignal = Symbol('timeout');

/** A process whose functions are called. */
export type EvaluatorChannel = Pick<
  RemoteProcess<EvaluatorFunctions>,
  'isUsable' | 'failure' | 'call' | 'kill'
>;

/** @throws what the system throws when no process can be started. */
export function evaluatorProcess(
  languages: readonly CodeEvaluationLanguage[],
  maxReplyBytes: number,
): EvaluatorChannel {
  return new RemoteProcess<EvaluatorFunctions>({
    // This module is in a file one folder below that of the build, whichever file that is.
    program: new URL('../host/sandbox/evaluate/program.js', import.meta.url),
    args: languages,
    nodeArgs: [`--max-old-space-size=${heapMib}`, '--no-warnings'],
    maxMessageBytes: maxReplyBytes,
  });
}

/** The result of a call: a reply, or how the process ended. */
export type CodeEvaluationOutcome =
  | { readonly kind: 'reply'; readonly reply: EvaluationReply }
  | { readonly kind: 'timeout' | 'crash' };

/** What an {@link Evaluator} is made with. */
export interface EvaluatorOptions {
  readonly languages: readonly CodeEvaluationLanguage[];
  /** Starts a process. May throw. */
  readonly open: () => EvaluatorChannel;
  /** Default: `systemClock`. */
  readonly clock?: Clock;
}

/**
 * The process in which the code of a session runs. Calls take turns; each has an interpreter of its own. After a kill or a crash the
 * next call starts another process.
 *
 * Threats: code sees what it is given and nothing else, as far as the interpreter holds. Time, memory and output are limited by the
 * interpreter first and by a kill of the process second. A defect of an interpreter that runs native code gives it the rights of our
 * user: there is no sandbox of the system around the process. What the process sends is checked like any input.
 */
export class Evaluator implements AsyncDisposable {
  readonly #languages: readonly CodeEvaluationLanguage[];
  readonly #openChannel: () => EvaluatorChannel;
  readonly #clock: Clock;
  #channel: EvaluatorChannel | undefined;
  #queue: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor({ languages, open, clock = systemClock }: EvaluatorOptions) {
    this.#languages = languages;
    this.#openChannel = open;
    this.#clock = clock;
  }

  /**
   * Starts the process, and runs code of each language in it.
   * @throws {SandboxError} `sandbox-unavailable`; the signal's reason.
   */
  async start(signal: AbortSignal): Promise<void> {
    for (const language of this.#languages) {
      const outcome = await this.run({ ...selfTest, language }, signal);
      if (outcome.kind === 'reply' && outcome.reply.value === '42') continue;
      const reason =
        outcome.kind === 'reply'
          ? `it computes 40 + 2 wrongly: ${JSON.stringify(startOf(outcome.reply.stderr || outcome.reply.value, 200))}`
          : `its self-test ended by a ${outcome.kind}`;
      throw unusableError({ unusable: reason, language, isMissing: false });
    }
  }

  /**
   * Runs one request after those before it.
   * @throws {SandboxError} `sandbox-unavailable`, `sandbox-disposed`; the signal's reason, at once.
   */
  run(request: EvaluationRequest, signal: AbortSignal): Promise<CodeEvaluationOutcome> {
    const before = this.#queue;
    const outcome = untilAborted(before, signal).then(() => this.#run(request, signal));
    // One that is aborted while it waits leaves the queue to the one that runs.
    this.#queue = Promise.allSettled([before, outcome]).then(() => undefined);
    return outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#channel?.kill();
    await this.#queue;
  }

  async #run(request: EvaluationRequest, signal: AbortSignal): Promise<CodeEvaluationOutcome> {
    for (let attempt = 1; ; attempt += 1) {
      const channel = await this.#usableChannel(signal);
      const taken = await this.#answer(channel, channel.call('take', request), startMs, signal);
      const isStarted = hasKey(taken, 'started');
      if (isStarted) return this.#outcome(channel, request, signal);
      // The process had ended before it got the request, so no code has run.
      await channel.kill();
      this.#assertLive();
      if (attempt === 2) return { kind: 'crash' };
    }
  }

  async #outcome(
    channel: EvaluatorChannel,
    { timeoutMs }: EvaluationRequest,
    signal: AbortSignal,
  ): Promise<CodeEvaluationOutcome> {
    const message = await this.#answer(channel, channel.call('run'), timeoutMs * killFactor, signal);
    this.#assertLive();
    if (message === timeoutSignal) return { kind: 'timeout' };
    const reply = readReply(message);
    if (reply !== undefined) return { kind: 'reply', reply };
    await channel.kill();
    return { kind: 'crash' };
  }

  async #usableChannel(signal: AbortSignal): Promise<EvaluatorChannel> {
    this.#assertLive();
    if (this.#channel?.isUsable === true) return this.#channel;
    await this.#channel?.kill();
    this.#assertLive();
    let channel: EvaluatorChannel;
    try {
      channel = this.#openChannel();
    } catch (error) {
      throw startError(describeError(error), error);
    }
    this.#channel = channel;
    const first = await this.#answer(channel, channel.call('start'), startMs, signal);
    if (hasKey(first, 'ready')) return channel;
    await channel.kill();
    this.#assertLive();
    const unusable = readUnusable(first);
    if (unusable !== undefined) throw unusableError(unusable);
    const { failure } = channel;
    if (first === timeoutSignal)
      throw startError(`the process did not start in ${startMs / 1000} s`, failure);
    throw startError(
      first === undefined ? describeError(failure) : 'the process began with an unknown message',
      failure,
    );
  }

  /** What is answered, {@link timeoutSignal}, or `undefined` when the process has ended. A time-out and an abort end it. */
  async #answer(
    channel: EvaluatorChannel,
    call: Promise<unknown>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<unknown> {
    const answered = call.catch(() => undefined);
    let stop = (): void => undefined;
    const timedOut = new Promise<typeof timeoutSignal>((resolve) => {
      stop = this.#clock.schedule(timeoutMs, () => resolve(timeoutSignal));
    });
    try {
      const message = await untilAborted(Promise.race([answered, timedOut]), signal);
      if (message === timeoutSignal) await channel.kill();
      return message;
    } catch (error) {
      await channel.kill();
      throw error;
    } finally {
      stop();
    }
  }

  #assertLive(): void {
    if (this.#isDisposed)
      throw new SandboxError('sandbox-disposed', 'The evaluator was disposed with its session.', {
        details: { backend: 'evaluate' },
      });
  }
}

const selfTest: Omit<EvaluationRequest, 'language'> = {
  code: '40 + 2',
  inputs: [],
  files: [],
  writes: [],
  timeoutMs: startMs,
  maxMemoryBytes: 67_108_864,
  maxOutputBytes: 4096,
  maxTotalFileBytes: 1,
};

function hasKey(message: unknown, key: 'ready' | 'started'): boolean {
  return isRecord(message) && message[key] === true;
}

const peers = {
  javascript: { name: 'JavaScript', peer: 'quickjs-emscripten', install: 'quickjs-emscripten@^0.32.0' },
  python: { name: 'Python', peer: '@pydantic/monty', install: '@pydantic/monty@^0.0.18' },
} as const satisfies Readonly<Record<CodeEvaluationLanguage, object>>;

/** The error for a language whose package is not installed or does not work. */
function unusableError({ unusable, language, isMissing }: UnusableEvaluator): SandboxError {
  const { name, peer, install } = peers[language];
  const remedy = `with \`npm install ${install}\`, or leave "${language}" out of the option languages.`;
  const what = isMissing
    ? `the package "${peer}" could not be loaded. Install it ${remedy}`
    : `the package "${peer}" does not work: ${sentence(unusable)} Install a supported version ${remedy}`;
  return new SandboxError('sandbox-unavailable', `The evaluation of ${name} does not work here: ${what}`, {
    cause: new Error(unusable),
    details: { backend: 'evaluate', option: 'languages' },
  });
}

/** The error for a process that could not be started. */
function startError(reason: string, cause: unknown): SandboxError {
  return new SandboxError(
    'sandbox-unavailable',
    `The evaluation of code does not work here: ${sentence(reason)} It needs a process of Node beside this one.`,
    { ...present({ cause }), details: { backend: 'evaluate' } },
  );
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);
