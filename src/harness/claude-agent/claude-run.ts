import { ModelResponseError } from '../../core/error/index.ts';
import { isRecord, present } from '../../core/internal/index.ts';
import type { InputPart, TokenUsage } from '../../core/tool/index.ts';
import { messagesFinishReason, toTokenUsage, type WireFields } from '../../providers/kit/index.ts';
import {
  AnswerSchema,
  type HarnessAnswer,
  type HarnessOutcome,
  type HarnessRequest,
  type HarnessRunOptions,
} from '../kit/index.ts';
import { toolPrefix } from './own-tools.ts';
import type { ClaudeAgentSdk, ClaudeQueryOptions, ClaudeUserMessage } from './sdk.ts';
import { TurnReader } from './turn-reader.ts';
import type { WorkFolder } from './work-folder.ts';

/** What the user says where there is nothing beside the instructions: Claude Code begins with a message. */
const start: readonly InputPart[] = [{ type: 'text', text: 'Begin.' }];

/** One run of Claude Code: its messages, one after the other, until its model is done. */
export class ClaudeRun {
  readonly #request: HarnessRequest;
  readonly #options: HarnessRunOptions;
  readonly #work: Pick<WorkFolder, 'keep'>;
  readonly #turns: TurnReader;
  readonly #user = new UserMessages();

  constructor(request: HarnessRequest, options: HarnessRunOptions, work: Pick<WorkFolder, 'keep'>) {
    this.#request = request;
    this.#options = options;
    this.#work = work;
    this.#turns = new TurnReader(options, toolPrefix);
  }

  /** @throws {Error} when Claude Code fails; the reason of the signal when it was aborted. */
  async play(
    sdk: ClaudeAgentSdk,
    queryOptions: Omit<ClaudeQueryOptions, 'abortController'>,
  ): Promise<HarnessOutcome> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    const abortController = new AbortController();
    const abort = (): void => abortController.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const { input } = this.#request;
    this.#user.say((input.length === 0 ? start : input).map(toBlock));
    let outcome: HarnessOutcome | undefined;
    try {
      const messages = sdk.query({
        prompt: this.#user.read(),
        options: { ...queryOptions, abortController },
      });
      for await (const message of messages) {
        signal.throwIfAborted();
        if (!isRecord(message)) continue;
        if (message['type'] === 'result') outcome = await this.#conclude(message);
        else await this.#turns.read(message);
      }
    } catch (error) {
      signal.throwIfAborted();
      // The answer was there: how the program ends after it does not matter.
      if (outcome === undefined) throw error;
    } finally {
      this.#user.end();
      signal.removeEventListener('abort', abort);
    }
    signal.throwIfAborted();
    if (outcome === undefined) throw new Error('Claude Code ended without a result.');
    return outcome;
  }

  /** @returns the outcome; undefined when the model gets another message. */
  async #conclude(result: WireFields): Promise<HarnessOutcome | undefined> {
    const answer = this.#answerIn(result);
    const next = (await this.#work.keep()) ?? (await this.#options.onAnswer(answer));
    if (next === undefined) {
      this.#user.end();
      return {
        ...answer,
        ...present({
          sessionId: typeof result['session_id'] === 'string' ? result['session_id'] : undefined,
          turns: countOf(result['num_turns']),
          costUsd: countOf(result['total_cost_usd']),
        }),
      };
    }
    this.#user.say([{ type: 'text', text: next }]);
    return undefined;
  }

  #answerIn(result: WireFields): HarnessAnswer {
    const { outputSchema } = this.#request;
    const { result: text, structured_output: output, stop_reason: reason } = result;
    const usage = totalUsageOf(result['modelUsage']);
    refuseFailure(result);
    const hasOutput = outputSchema !== undefined && output !== undefined && output !== null;
    const finishReason = messagesFinishReason(reason, false);
    return {
      text: typeof text === 'string' ? text : this.#turns.lastText,
      ...present({ output: hasOutput ? new AnswerSchema(outputSchema).read(output) : undefined }),
      // The last turn may have been one of calls, such as that of the answer.
      finishReason: finishReason === 'tool-calls' ? 'stop' : finishReason,
      ...present({ usage }),
    };
  }
}

/** @throws {ModelResponseError} for a conversation that is too long. @throws {Error} for any other failure. */
function refuseFailure(result: WireFields): void {
  const { errors, is_error: isError, result: text, subtype, terminal_reason: reason } = result;
  // The model has not given an answer that fits: what it said is taken for its answer, and is corrected.
  if (subtype === 'error_max_structured_output_retries') return;
  if (isError !== true && subtype === 'success') return;
  const said =
    Array.isArray(errors) && errors.length > 0 ? errors.map(String).join('; ') : String(text ?? subtype);
  if (reason === 'prompt_too_long') throw new ModelResponseError('model-context-exceeded', said);
  throw new Error(`Claude Code reports an error: ${said}`);
}

/** The usage of a whole session, of all its models, from `modelUsage` of a result. */
function totalUsageOf(modelUsage: unknown): TokenUsage | undefined {
  if (!isRecord(modelUsage)) return undefined;
  const models = Object.values(modelUsage).filter(isRecord);
  if (models.length === 0) return undefined;
  const sum = (name: string): number =>
    models.reduce((total, model) => total + (countOf(model[name]) ?? 0), 0);
  return toTokenUsage({
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    read: sum('cacheReadInputTokens'),
    written: sum('cacheCreationInputTokens'),
    writtenLong: undefined,
    reasoning: undefined,
  });
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** A part of the input as a block of the Messages interface. */
function toBlock(part: InputPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data, mediaType } = part;
  // Base64 has no colon.
  const source = data.includes(':')
    ? { type: 'url', url: data }
    : { type: 'base64', media_type: mediaType, data };
  return { type: 'image', source };
}

/** The messages of the user, one after the other, until they are ended. */
class UserMessages {
  readonly #waiting: ClaudeUserMessage[] = [];
  #isEnded = false;
  #wake: () => void = () => undefined;

  /** @param content blocks of the Messages interface. */
  say(content: readonly object[]): void {
    this.#waiting.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<ClaudeUserMessage, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
