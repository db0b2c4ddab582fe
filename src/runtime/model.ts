import type { JsonSchema, JsonValue } from '../schema/index.ts';
import type {
  AssistantPart,
  ConversationItem,
  FinishReason,
  HostedTool,
  Logger,
  RawItems,
  TokenPrices,
  TokenUsage,
  ToolChoice,
  ToolExample,
} from '../tool/index.ts';

/** A tool as a model sees it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** Closed JSON Schema of the arguments, made once per tool. */
  readonly inputSchema: JsonSchema;
  readonly examples: readonly ToolExample[];
}

/** Everything a model gets for one turn. All of it is read-only and passed by reference: nothing is copied per turn. */
export interface ModelRequest {
  /** The rendered prompt (system text). */
  readonly instructions: string;
  /** The conversation so far. The array grows after the call returns: read it during the call, keep no reference. */
  readonly conversation: readonly ConversationItem[];
  readonly tools: readonly ModelTool[];
  readonly hostedTools: readonly HostedTool[];
  /** JSON Schema of the final answer, when the prompt declares one; also for a model that is told of it in the instructions. */
  readonly outputSchema?: JsonSchema;
  readonly toolChoice: ToolChoice;
  /** Provider-specific settings of the caller, passed on as they are. */
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** Number of this model call within the evaluation, from 1. */
  readonly turn: number;
}

/** What a model answered in one turn. */
export interface ModelTurn {
  readonly content: readonly AssistantPart[];
  readonly finishReason: FinishReason;
  readonly usage?: TokenUsage;
  /** The provider's own items of this turn, replayed to it unchanged. */
  readonly raw?: RawItems;
}

/** What a model provider gets beside the request. */
export interface GenerateOptions {
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** A language model: the one thing a provider has to bring. */
export interface ModelProvider {
  /** Shown in events and errors. */
  readonly name: string;
  /** True when the wire format has a field for tool examples; they are then left out of the instructions. Default: false. */
  readonly takesExamples?: boolean;
  /**
   * True when the provider makes the model keep to `request.outputSchema`. Else the instructions end with that schema and
   * the request to answer in JSON. Default: false.
   */
  readonly takesOutputSchema?: boolean;
  /** What it costs, for budgets that do not say. Default: not known; a budget that limits the cost is then refused. */
  readonly prices?: TokenPrices;
  /**
   * Makes one turn. May throw or reject:
   *
   * - a `ThrottleError` that is safe to retry: asked again after a wait, with the very same request;
   * - a `ModelResponseError`: the evaluation ends with a `PromptEvaluationError` of phase `response`;
   * - anything else: the evaluation ends with one of phase `request`.
   *
   * The error is the cause of the one the evaluation ends with. Must stop when `options.signal` is aborted, which also
   * happens at the deadline of the run.
   */
  generate(request: ModelRequest, options: GenerateOptions): ModelTurn | Promise<ModelTurn>;
}

/** The sum of two usages; a count that neither reports stays absent. */
export function addUsage(left: TokenUsage, right: TokenUsage | undefined): TokenUsage {
  if (right === undefined) return left;
  const input = addCounts(left.inputTokens, right.inputTokens);
  const output = addCounts(left.outputTokens, right.outputTokens);
  const cached = addCounts(left.cachedInputTokens, right.cachedInputTokens);
  return {
    ...(input === undefined ? {} : { inputTokens: input }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
  };
}

function addCounts(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined ? right : left + (right ?? 0);
}
