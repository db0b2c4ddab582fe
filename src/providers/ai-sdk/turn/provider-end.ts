import { present } from '../../../core/internal/index.ts';
import { fieldsIn, objectsIn, type WireFields } from '../../kit/index.ts';

/** The words of the AI SDK for why an answer ended. */
type Unified = 'stop' | 'length' | 'content-filter' | 'error' | 'other';

/** Why an answer ended, in the words of the AI SDK and of the provider. */
interface EndReason {
  readonly unified: Unified;
  readonly raw: string | undefined;
}

/**
 * The end of a streamed answer in the format of its provider, read from the events that packages show as `raw` parts. Packages give the finish of an
 * answer, and some the calls of it, only when the connection closes: what ends an answer is here, whatever becomes of the connection. Answers in the
 * format of Anthropic's messages are not read: their packages give the finish with the last event.
 *
 * @see docs/spec/evaluation.md §11
 */
export class ProviderEnd {
  #isKnown = false;
  #reason: EndReason | undefined;
  #usage: WireFields = {};
  /** Counts of the requests before, where the package asks again for the rest of an answer. */
  #continued: WireFields = {};
  #metadata: WireFields = {};
  #hasRefusal = false;

  /** Whether events came in a format whose end is known, so that an answer without one was cut off. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get hasEnded(): boolean {
    return this.#reason !== undefined;
  }

  /** @returns whether the event belongs to the end: the reason, or counts that come after it. */
  take(event: unknown): boolean {
    const { type, choices, candidates, usageMetadata, promptFeedback } = fieldsIn(event);
    if (typeof type === 'string')
      return type.startsWith('response.') && this.#takeResponse(type, fieldsIn(event));
    if (Array.isArray(choices)) return this.#takeChunk(fieldsIn(event));
    if (Array.isArray(candidates) || usageMetadata !== undefined || promptFeedback !== undefined) {
      return this.#takeCandidates(fieldsIn(event));
    }
    return false;
  }

  /** The finish of the answer, in the form of the packages' own. */
  finish(): WireFields {
    return {
      type: 'finish',
      finishReason: this.#reason,
      usage: this.#usage['inputTokens'] === undefined ? undefined : this.#usage,
      providerMetadata: this.#metadata,
    };
  }

  /** Responses: the last event holds the whole response. */
  #takeResponse(type: string, event: WireFields): boolean {
    this.#isKnown = true;
    if (type === 'response.refusal.delta' || type === 'response.refusal.done') this.#hasRefusal = true;
    if (type !== 'response.completed' && type !== 'response.incomplete' && type !== 'response.failed')
      return false;
    const response = fieldsIn(event['response']);
    const { id, usage, incomplete_details: details } = response;
    const { reason } = fieldsIn(details);
    const raw = typeof reason === 'string' ? reason : undefined;
    this.#reason =
      type === 'response.failed' && raw === undefined
        ? { unified: 'error', raw: 'error' }
        : { unified: this.#unifiedOf(raw ?? 'stop'), raw };
    const counts = fieldsIn(usage);
    this.#count(counts, {
      input: counts['input_tokens'],
      output: counts['output_tokens'],
      read: fieldsIn(counts['input_tokens_details'])['cached_tokens'],
      written: fieldsIn(counts['input_tokens_details'])['cache_write_tokens'],
      reasoning: fieldsIn(counts['output_tokens_details'])['reasoning_tokens'],
    });
    const promptCacheDiagnostics = response['prompt_cache_diagnostics'];
    this.#metadata = { openai: { responseId: id, ...present({ promptCacheDiagnostics }) } };
    return true;
  }

  /** Chat Completions: the reason in one chunk, the counts in it or in a later one. */
  #takeChunk({ choices, usage }: WireFields): boolean {
    this.#isKnown = true;
    const [choice = {}] = objectsIn(choices);
    const { refusal } = fieldsIn(choice['delta']);
    if (typeof refusal === 'string' && refusal !== '') this.#hasRefusal = true;
    const raw = choice['finish_reason'];
    // Some servers send an empty reason with every chunk.
    const isEnd = typeof raw === 'string' && raw !== '';
    if (isEnd) this.#reason = { unified: this.#unifiedOf(raw), raw };
    const counts = fieldsIn(usage);
    const hasCounts = this.#count(counts, {
      input: counts['prompt_tokens'],
      output: counts['completion_tokens'],
      read: fieldsIn(counts['prompt_tokens_details'])['cached_tokens'],
      written: fieldsIn(counts['prompt_tokens_details'])['cache_write_tokens'],
      reasoning: fieldsIn(counts['completion_tokens_details'])['reasoning_tokens'],
    });
    return isEnd || hasCounts;
  }

  /** Gemini: reason and counts in one event. */
  #takeCandidates({ candidates, usageMetadata, promptFeedback }: WireFields): boolean {
    this.#isKnown = true;
    const [candidate = {}] = objectsIn(candidates);
    const { finishReason, groundingMetadata, urlContextMetadata } = candidate;
    const known = fieldsIn(this.#metadata['google']);
    this.#metadata = {
      google: {
        groundingMetadata: groundingMetadata ?? known['groundingMetadata'],
        urlContextMetadata: urlContextMetadata ?? known['urlContextMetadata'],
      },
    };
    const counts = fieldsIn(usageMetadata);
    const sumOf = (...keys: readonly string[]): number | undefined => sum(keys.map((key) => counts[key]));
    this.#count(counts, {
      input: sumOf('promptTokenCount', 'toolUsePromptTokenCount'),
      output: sumOf('candidatesTokenCount', 'thoughtsTokenCount'),
      read: counts['cachedContentTokenCount'],
      written: undefined,
      reasoning: counts['thoughtsTokenCount'],
    });
    if (finishReason === 'CONTINUATION') {
      this.#continued = this.#usage;
      return false;
    }
    const { blockReason } = fieldsIn(promptFeedback);
    if (typeof finishReason === 'string' && finishReason !== '') {
      this.#reason = { unified: this.#unifiedOf(finishReason), raw: finishReason };
    } else if (candidate['content'] === undefined && isBlock(blockReason)) {
      this.#reason = { unified: 'content-filter', raw: blockReason };
    }
    return this.hasEnded;
  }

  /** @returns whether there are counts. */
  #count(
    counts: WireFields,
    {
      input,
      output,
      read,
      reasoning,
      written,
    }: Readonly<Record<'input' | 'output' | 'read' | 'reasoning' | 'written', unknown>>,
  ): boolean {
    if (Object.keys(counts).length === 0) return false;
    const before = this.#continued;
    const added = (kind: string, name: string, count: unknown): unknown =>
      sum([fieldsIn(before[kind])[name], count]);
    this.#usage = {
      inputTokens: {
        total: added('inputTokens', 'total', input),
        cacheRead: added('inputTokens', 'cacheRead', read ?? 0),
        cacheWrite: added('inputTokens', 'cacheWrite', written),
      },
      outputTokens: {
        total: added('outputTokens', 'total', output),
        reasoning: added('outputTokens', 'reasoning', reasoning ?? 0),
      },
      raw: counts,
    };
    return true;
  }

  #unifiedOf(raw: string): Unified {
    const unified = unifiedReasons.get(raw) ?? 'other';
    return unified === 'stop' && this.#hasRefusal ? 'content-filter' : unified;
  }
}

/** Calls are seen in the content: `stop` says no more than that the model ended its turn. */
const unifiedReasons: ReadonlyMap<string, Unified> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'stop'],
  ['function_call', 'stop'],
  ['STOP', 'stop'],
  ['length', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['MAX_TOKENS', 'length'],
  ['content_filter', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['SAFETY', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['MALFORMED_FUNCTION_CALL', 'error'],
]);

function isBlock(reason: unknown): reason is string {
  return typeof reason === 'string' && reason !== '' && reason !== 'BLOCK_REASON_UNSPECIFIED';
}

/** The sum of the numbers of a list; undefined when it has none. */
function sum(counts: readonly unknown[]): number | undefined {
  const numbers = counts.filter((count) => typeof count === 'number');
  return numbers.length === 0 ? undefined : numbers.reduce((total, count) => total + count, 0);
}
