import { assertArgument } from '../../error/index.ts';
import type { Writable } from '../../internal/index.ts';
import type { JsonSchema } from '../../schema/index.ts';
import type { Clock } from '../../session/index.ts';
import type {
  AssistantPart,
  ConversationItem,
  FinishReason,
  HostedTool,
  HostedToolReading,
  Logger,
  ModelSettings,
  ModelTool,
  ProviderTool,
  RawItems,
  TokenPrices,
  TokenUsage,
  ToolChoice,
} from '../../tool/index.ts';

/** Everything a model gets for one turn. All of it is read-only and passed by reference: nothing is copied per turn. */
export interface ModelRequest {
  /** The rendered prompt (system text). */
  readonly instructions: string;
  /** The conversation so far. The array grows after the call returns: read it during the call, keep no reference. */
  readonly conversation: readonly ConversationItem[];
  readonly tools: readonly ModelTool[];
  /**
   * The tools of all sections that can be opened, or were in this evaluation: the same in every request of an evaluation. Those that are open are among `tools`, too. Present only for a model that
   * `takesOpenedTools` in place.
   */
  readonly deferredTools?: readonly ModelTool[];
  /** The sections that have those tools. Present with `deferredTools`. */
  readonly deferredSections?: readonly DeferredSection[];
  readonly hostedTools: readonly HostedTool[];
  /** Shapes of vendors for some of `tools`, and for tools that are not among them. A model that takes none of them gets `tools` as they are. Present only in a prompt that has some. */
  readonly providerTools?: readonly ProviderTool[];
  /** JSON Schema of the final answer, when the prompt declares one; also for a model that gets it in the instructions. */
  readonly outputSchema?: JsonSchema;
  readonly toolChoice: ToolChoice;
  /** Settings of the caller: the neutral ones by their names, all others as the provider defines them. */
  readonly settings: ModelSettings;
  /** Number of this model call within the evaluation, from 1. */
  readonly turn: number;
}

/** A section that can be opened, or was, with tools. */
export interface DeferredSection {
  /** Dotted path. */
  readonly path: string;
  readonly title: string;
  /** Names of its tools. */
  readonly tools: readonly string[];
}

/** What a model answered in one turn. */
export interface ModelTurn {
  readonly content: readonly AssistantPart[];
  readonly finishReason: FinishReason;
  readonly usage?: TokenUsage;
  /** The provider's own items of this turn, sent back to it unchanged. */
  readonly raw?: RawItems;
  /** The outputs of the hosted tools of the request in this turn. Default: nothing. */
  readonly hosted?: readonly HostedToolReading[];
  /** The provider's id of the answer. Default: it gives none. */
  readonly responseId?: string;
  /** The model that answered, as the provider names it. Default: it does not say. */
  readonly responseModel?: string;
  /** The service tier that the answer was served in, as the provider names it, such as `flex`. Default: it does not say. */
  readonly serviceTier?: string;
  /** True when the turn holds files that the model made, which no part describes: it is then an answer although it has no text. Default: false. */
  readonly hasFiles?: boolean;
  /**
   * True when the provider shortened the conversation in this turn, as by a summary in the place of what came before: the next turn may take fewer
   * tokens than this one. Default: false.
   */
  readonly isCompacted?: boolean;
  /**
   * What the provider says of its prompt cache, where it was asked: whether this request could reuse the one before, how many tokens it could not, and why. Default: it does not
   * say.
   */
  readonly cache?: { readonly hit: boolean; readonly missed?: number; readonly reason?: string };
  /** The name of the model that answered, in a run that has several (`fallbackAdapter`). The run sets it, and a provider leaves it out. */
  readonly answeredBy?: string;
}

/** A piece of an answer that is still being made. */
export type ModelDelta =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string };

/** What a model provider gets beside the request. */
export interface ModelCallOptions {
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** Takes log lines about the request. */
  readonly logger: Logger;
  /** The timers of the run, for what a provider waits for. Default, where it is called without a run: those of the machine. */
  readonly clock?: Pick<Clock, 'schedule'>;
  /**
   * There when the run wants the answer piece by piece: the provider then streams, and calls it with each piece in order. When it returns a
   * promise the provider waits for it before it reads on: the listener is slower than the model. Never rejects. Deltas of an
   * answer that fails are void.
   */
  readonly onDelta?: (delta: ModelDelta) => Promise<void> | undefined;
}

/** What of a request is known before the first one, and after sections were opened. */
export type ModelCheck = Pick<
  ModelRequest,
  'tools' | 'hostedTools' | 'providerTools' | 'outputSchema' | 'settings' | 'toolChoice'
>;

/** A language model: the one thing a provider has to bring. */
export interface LanguageModel {
  /** Shown in events and errors. */
  readonly name: string;
  /** Name of the model as its provider knows it. Default: `name`. */
  readonly model?: string;
  /** Name of the provider as the GenAI conventions of OpenTelemetry have it, such as `openai` or `anthropic`. Default: not known. */
  readonly provider?: string;
  /** Settings that every request has; those of the caller take precedence. Only for observers. Default: none. */
  readonly settings?: ModelSettings;
  /** True when the wire format has a field for tool examples; they are then left out of the instructions. Default: false. */
  readonly takesExamples?: boolean;
  /**
   * True when the provider makes the model keep to `request.outputSchema`. Else the instructions end with that schema and
   * the request to answer in JSON. Default: false.
   */
  readonly takesOutputSchema?: boolean;
  /**
   * `in-place`: the tools of a section that is opened come with the result that opened it (`ToolResultItem.loadedTools`), so that what comes before the conversation, and is cached,
   * stays. Default: `append`, they are at the end of `tools` from the next turn on.
   */
  readonly takesOpenedTools?: 'append' | 'in-place';
  /** The kinds of provider tools that it takes. Only for observers. Default: none. */
  readonly providerToolKinds?: readonly string[];
  /** What it costs, for budgets that do not say. Default: not known; a budget that limits the cost is then refused. */
  readonly prices?: TokenPrices;
  /**
   * ASCII characters in one of its tokens, on average: for estimates of what a request takes, until the provider has reported what one took. Over 0. Default: 4, about
   * what tokenizers make of English and of code.
   */
  readonly charactersPerToken?: number;
  /**
   * Looks at what the model is going to get, before any request. May throw, best a `PromptValidationError`, for what the provider cannot
   * be sent, such as a hosted tool of an unknown kind: the evaluation ends in phase `render`. Default: everything can be sent.
   */
  check?(check: ModelCheck): void;
  /**
   * Makes one turn. May throw or reject:
   *
   * - a `ThrottleError` that is safe to retry: asked again after a wait, with the very same request;
   * - a `ModelResponseError` with the code `model-context-exceeded`: the conversation is too long, see `context.overflow`;
   * - any other `ModelResponseError`: the evaluation ends with a `PromptEvaluationError` of phase `response`;
   * - anything else: the evaluation ends with one of phase `request`.
   *
   * The error is the cause of the one the evaluation ends with. Must stop when `options.signal` is aborted, which also
   * happens at the deadline of the run.
   */
  generate(request: ModelRequest, options: ModelCallOptions): ModelTurn | Promise<ModelTurn>;
}

/** The sum of two usages; a count that neither reports stays absent. */
export function addTokenUsage(left: TokenUsage, right: TokenUsage | undefined): TokenUsage {
  assertArgument('addTokenUsage()', 'left', left, 'object');
  if (right === undefined) return left;
  assertArgument('addTokenUsage()', 'right', right, 'object');
  return sumUsage(left, right);
}

/** {@link addTokenUsage} of usages that were checked. */
export function sumUsage(left: TokenUsage, right: TokenUsage): TokenUsage {
  const sum: Writable<TokenUsage> = {};
  for (const name of tokenCounts) {
    const count = right[name];
    if (count !== undefined) sum[name] = (left[name] ?? 0) + count;
    else if (left[name] !== undefined) sum[name] = left[name];
  }
  return sum;
}

/** Every count of a {@link TokenUsage}. */
export const tokenCounts: readonly (keyof TokenUsage)[] = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteInputTokens',
  'longCacheWriteInputTokens',
  'reasoningTokens',
];
