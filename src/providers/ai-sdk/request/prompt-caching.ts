import { PromptValidationError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { ModelRequest } from '../../../core/runtime/index.ts';
import {
  assertClaudeOrder,
  claudeCachingSupport,
  lastResponseId,
  type OpenAICachingPlan,
  type PromptCachingParts,
  planOpenAICaching,
  readCaching,
  refuseBareExplicit,
} from '../../kit/index.ts';
import type {
  AiSdkVersion,
  PromptMessage,
  ProviderOptions,
  ResultOutput,
  ResultPart,
} from '../wire/call-options.ts';
import { type CacheMarks, cacheMarksOf, isClaude, type ModelAtProvider } from './cache-marks.ts';

/** What requests say about the cache of their provider. */
export interface AiSdkCachingPlan {
  /** Breakpoints for Claude; undefined: none are set. */
  readonly claude: CacheMarks | undefined;
  /** What OpenAI gets; undefined for nothing. */
  readonly openai: OpenAICachingPlan | undefined;
}

const of = 'aiSdk()';

/** @throws {PromptValidationError} for what the model, or its package, does not take. */
export function planCaching(
  model: ModelAtProvider,
  caching: boolean | PromptCachingParts | undefined,
): AiSdkCachingPlan {
  if (isClaude(model)) {
    const { lifetimes, refused } = claudeCachingSupport;
    const asked = readCaching(of, caching, {
      lifetimes,
      refused: { ...refused, diagnose: 'packages for Claude do not ask for it; anthropic() does' },
    });
    if (asked === false) return { claude: undefined, openai: undefined };
    assertClaudeOrder(of, asked);
    return { claude: cacheMarksOf(model, asked), openai: undefined };
  }
  return { claude: undefined, openai: planOthers(model, caching) };
}

function planOthers(
  { modelId, provider }: ModelAtProvider,
  caching: boolean | PromptCachingParts | undefined,
): OpenAICachingPlan | undefined {
  if (provider === 'openai.responses') return planOpenAICaching(of, modelId, caching);
  if (provider === 'openai.chat') {
    const reason =
      'Chat Completions have no marks with a lifetime, and compare nothing; openai.responses() does';
    return planOpenAICaching(of, modelId, caching, {
      lifetimes: ['30m'],
      refused: { conversation: reason, diagnose: reason },
    });
  }
  const reason = `models of "${provider}" cache by themselves, and what their package has for it belongs in providerOptions`;
  readCaching(of, caching, {
    lifetimes: [],
    refused: { key: reason, ttl: reason, conversation: reason, diagnose: reason, off: reason },
  });
  return undefined;
}

const ownOptions = ['promptCacheKey', 'promptCacheOptions', 'promptCacheRetention'] as const;

/**
 * Checks what a caller wrote for OpenAI's cache in the format of its package.
 *
 * @throws {PromptValidationError} for options that would turn the cache or the answer off, and for options beside `promptCaching`.
 */
export function checkCacheOptions(
  { openai = {} }: ProviderOptions,
  { openai: caching }: AiSdkCachingPlan,
): void {
  const { promptCacheOptions: options } = openai;
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
    refuseBareExplicit(options, 'providerOptions.openai.promptCacheOptions');
  }
  if (caching === undefined) return;
  for (const name of ownOptions) {
    if (openai[name] === undefined) continue;
    throw new PromptValidationError(
      `The AI SDK adapter has the option promptCaching and providerOptions.openai.${name}. Keep one.`,
      { details: { option: `providerOptions.openai.${name}` } },
    );
  }
}

/** The options of a request for OpenAI's cache. */
export function openaiCacheOptions(
  { diagnoses, isOn, keyOf, ttl }: OpenAICachingPlan,
  { conversation, instructions }: Pick<ModelRequest, 'conversation' | 'instructions'>,
  provider: string,
): ProviderOptions {
  const options = present({
    mode: isOn ? undefined : 'explicit',
    ttl,
    comparisonResponseId: diagnoses ? lastResponseId(conversation, provider) : undefined,
  });
  const members = present({
    promptCacheKey: keyOf(instructions),
    promptCacheOptions: Object.keys(options).length === 0 ? undefined : options,
  });
  return Object.keys(members).length === 0 ? {} : { openai: members };
}

/**
 * The prompt with OpenAI's marks where the two requests before ended. The text of every result is then a list, so that a mark changes nothing else. Marked
 * messages are copies.
 */
export function markEnds<Version extends AiSdkVersion>(
  prompt: readonly PromptMessage<Version>[],
  ttl: string,
): PromptMessage<Version>[] {
  const mark: ProviderOptions = { openai: { promptCacheBreakpoint: { mode: 'explicit', ttl } } };
  const answers = prompt.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const ends = new Set(answers.slice(-2).map((index) => index - 1));
  return prompt.map((message, index) => {
    const ending = ends.has(index) ? mark : undefined;
    if (message.role === 'user')
      return ending === undefined ? message : { ...message, content: withMark(message.content, ending) };
    if (message.role !== 'tool') return message;
    const last = message.content.findLastIndex(({ type }) => type === 'tool-result');
    return {
      ...message,
      content: message.content.map((part, at) =>
        part.type === 'tool-result' ? asList(part, at === last ? ending : undefined) : part,
      ),
    };
  });
}

function asList<Version extends AiSdkVersion>(
  part: ResultPart<Version>,
  mark: ProviderOptions | undefined,
): ResultPart<Version> {
  const value = toList(part.output);
  if (value === undefined) return part;
  return { ...part, output: { type: 'content', value: mark === undefined ? value : withMark(value, mark) } };
}

type ListedOutput<Version extends AiSdkVersion> = Extract<
  ResultOutput<Version>,
  { type: 'content' }
>['value'];

function toList<Version extends AiSdkVersion>(
  output: ResultOutput<Version>,
): ListedOutput<Version> | undefined {
  switch (output.type) {
    case 'content':
      return output.value;
    case 'text':
    case 'error-text':
      return [{ type: 'text', text: output.value }];
    default:
      return undefined;
  }
}

/** The parts, with the mark on the last one. */
function withMark<Part extends object>(parts: readonly Part[], mark: ProviderOptions): Part[] {
  return parts.map((part, index) =>
    index === parts.length - 1
      ? { ...part, providerOptions: { ...Reflect.get(part, 'providerOptions'), ...mark } }
      : part,
  );
}
