import { assertOptions, PromptValidationError } from '../error/index.ts';
import { type ProviderAdapter } from '../evaluation/index.ts';
import { isRecord } from '../internal/index.ts';
import {
  type CallIdForm,
  checkModelOptions,
  type HostedToolCodecs,
  HostedToolRegistry,
  nineCharacterCallIds,
  plainCallIds,
  providerAdapter,
  requestTimeoutMs,
  type StrictTools,
  ToolSchemas,
  type UnsupportedConfig,
} from '../provider/internal.ts';
import type { ModelCallOptions, ModelRequest, ModelTurn } from '../runtime/index.ts';
import { describeReceived, type JsonObject } from '../schema/index.ts';
import { systemClock } from '../session/index.ts';
import type { ModelSettings, TokenPrices } from '../tool/index.ts';
import { hostedToolCodecsOf } from './hosted/codecs.ts';
import { type CacheTtl, cacheMarkOf } from './request/cache-marks.ts';
import { checkRequest, prepareRequest, type RequestContext } from './request/request.ts';
import { readSettings } from './request/request-settings.ts';
import { toProviderError } from './turn/provider-error.ts';
import { readStream } from './turn/stream.ts';
import { withTimeLimit } from './turn/time-limit.ts';
import { readTurn } from './turn/turn.ts';
import { Warnings } from './turn/warnings.ts';
import { aiSdkDialect } from './wire/ai-sdk-dialect.ts';
import { type AiSdkModel, type AiSdkModelOf, assertModel } from './wire/ai-sdk-model.ts';
import type { AiSdkVersion } from './wire/call-options.ts';
import { type FileForm, filesOfV3, filesOfV4 } from './wire/files.ts';

/** Options of {@link aiSdk}. */
export interface AiSdkOptions {
  /** A language model of an AI SDK provider package, such as `anthropic('claude-sonnet-4-5')`; its interface is version 3 or 4. */
  readonly model: AiSdkModel;
  /**
   * Shown in events and errors, and the mark by which the model's own answers in a conversation are known again. Default:
   * the model's provider and name, such as `anthropic.messages/claude-sonnet-4-5`.
   */
  readonly name?: string;
  /**
   * Settings of every request: the ones that are the same with every provider, `topK`, `presencePenalty`,
   * `frequencyPenalty`, and `providerOptions` and `headers` as below. An evaluation's own `settings` go over these.
   * Default: none.
   */
  readonly settings?: ModelSettings;
  /**
   * Timeout of a whole answer in milliseconds, including a streamed one; a deadline of the run can end it sooner. Default:
   * 600,000.
   */
  readonly timeoutMs?: number;
  /** What the model costs, for budgets of evaluations that do not say. Default: not known; a budget that limits the cost is then refused. */
  readonly prices?: TokenPrices;
  /** Options of every request in the words of its provider package, by the provider's name: `{ openai: { store: false } }`. Default: none. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  /** Headers of every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Codecs for kinds of hosted tools, over the built-in ones of the model's provider. What they serialize are tools of the
   * form `{ type: 'provider', id, name, args }`, and `request` may hold `providerOptions`. Default: the built-in ones, which
   * there are for the packages `@ai-sdk/openai` (Responses), `@ai-sdk/anthropic` and `@ai-sdk/google`.
   */
  readonly hostedToolCodecs?: HostedToolCodecs;
  /** What to do with a hosted tool whose config the provider does not fully support. Default: `'error'`. */
  readonly unsupportedConfig?: UnsupportedConfig;
  /**
   * Whether the provider can enforce an output schema; otherwise the schema is part of the instructions. Answers are
   * validated in any case. Default: true.
   */
  readonly takesOutputSchema?: boolean;
  /**
   * Which tools of a request are sent with `strict: true`, which has the provider hold the model to their schemas:
   *
   * - `'all-or-none'`: all of them when every schema can be held, else none, since several providers refuse a request with both kinds;
   * - `'each'`: each tool whose schema can be held, for providers that take both kinds, such as OpenAI and Anthropic;
   * - `'none'`.
   *
   * Arguments are checked in any case. Default: `'all-or-none'`; `'none'` for DeepSeek, where only a beta address takes strict tools.
   */
  readonly strictTools?: 'all-or-none' | 'each' | 'none';
  /**
   * Whether requests to Claude mark what the provider keeps for the next request; false: no.
   * `ttl` is how long it is kept after the last reading. The marks are for the packages of Anthropic, Bedrock, Vertex and OpenRouter; other models
   * are sent none. Default: they do, for `'5m'`.
   */
  readonly promptCaching?: false | { readonly ttl?: CacheTtl };
}

/**
 * An adapter for language models of the AI SDK, so for every provider that there is a package for. No package of the AI SDK
 * is loaded here: the model that you give is all that is used. Nothing but the model itself decides what is kept at the
 * provider: each request brings the whole conversation, the model's own answers as they came.
 *
 * A failed request ends the evaluation with a `PromptEvaluationError` whose cause is a `ThrottleError`, a `ModelResponseError`,
 * a `PromptValidationError` when the package left out a tool, or what the model threw.
 *
 * @throws {PromptValidationError} for a model of another version, or options that cannot be used.
 */
export function aiSdk(options: AiSdkOptions): ProviderAdapter {
  assertOptions('aiSdk()', options);
  const { model } = options;
  assertModel(model);
  const { timeoutMs, unsupportedConfig } = options;
  checkModelOptions('AI SDK', { model: model.modelId, timeoutMs, unsupportedConfig }, []);
  checkStrictTools(options.strictTools);
  checkCaching(options.promptCaching);
  return model.specificationVersion === 'v4'
    ? adapterOf(model, filesOfV4, options)
    : adapterOf(model, filesOfV3, options);
}

function adapterOf<Version extends AiSdkVersion>(
  model: AiSdkModelOf<Version>,
  files: FileForm<Version>,
  options: AiSdkOptions,
): ProviderAdapter {
  const { name = `${model.provider}/${model.modelId}`, takesOutputSchema = true } = options;
  const family = model.provider.replace(/\..*$/s, '');
  const context: RequestContext<Version> = {
    version: model.specificationVersion,
    files,
    provider: name,
    family,
    callIds: callIdsOf(model),
    cacheMark: options.promptCaching === false ? undefined : cacheMarkOf(model, options.promptCaching?.ttl),
    settings: [layerOf(options), options.settings ?? {}],
    projections: new ToolSchemas(aiSdkDialect, options.strictTools ?? defaultStrictTools(family)),
    registry: new HostedToolRegistry({
      adapter: `AI SDK (${model.provider})`,
      model: model.modelId,
      codecs: {
        ...hostedToolCodecsOf(model.provider, model.specificationVersion),
        ...options.hostedToolCodecs,
      },
      unsupportedConfig: options.unsupportedConfig,
    }),
  };
  readSettings(context.version, ...context.settings);
  const asking = {
    model,
    context,
    timeoutMs: requestTimeoutMs(options.timeoutMs),
    warnings: new Warnings(name),
  };
  return providerAdapter({
    model: {
      name,
      takesOutputSchema,
      ...(options.prices === undefined ? {} : { prices: options.prices }),
      check: (check) => checkRequest(check, context),
      generate: (request, generateOptions) => {
        const { outputSchema: _told, ...plain } = request;
        return callModel(takesOutputSchema ? request : plain, generateOptions, asking);
      },
    },
  });
}

/** Its package refuses strict tools at any address but the beta one. */
function defaultStrictTools(family: string): StrictTools {
  return family === 'deepseek' ? 'none' : 'all-or-none';
}

/** Mistral requires another form of ids, under whatever name its models are served. */
function callIdsOf({ provider, modelId }: Pick<AiSdkModel, 'provider' | 'modelId'>): CallIdForm {
  const isMistral = /(mi[sx]|minis|codes|devs|magis|pix)tral/i.test(`${provider} ${modelId}`);
  return isMistral ? nineCharacterCallIds : plainCallIds;
}

function checkCaching(caching: AiSdkOptions['promptCaching']): void {
  if (caching === undefined || caching === false) return;
  const { ttl } = caching;
  if (ttl === undefined || ttl === '5m' || ttl === '1h') return;
  throw new PromptValidationError(
    `The option promptCaching.ttl must be "5m" or "1h", got ${describeReceived(ttl)}.`,
    {
      details: { option: 'promptCaching.ttl' },
    },
  );
}

const strictToolsChoices: readonly unknown[] = ['all-or-none', 'each', 'none', undefined];

function checkStrictTools(strictTools: unknown): void {
  if (strictToolsChoices.includes(strictTools)) return;
  throw new PromptValidationError(
    `The option strictTools must be "all-or-none", "each" or "none", got ${describeReceived(strictTools)}.`,
    { details: { option: 'strictTools' } },
  );
}

/** Options that can also be given as settings. */
function layerOf({ providerOptions, headers }: AiSdkOptions): ModelSettings {
  return {
    ...(providerOptions === undefined ? {} : { providerOptions }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** The context of a call of the model. */
interface CallContext<Version extends AiSdkVersion> {
  readonly model: AiSdkModelOf<Version>;
  readonly context: RequestContext<Version>;
  readonly timeoutMs: number;
  readonly warnings: Warnings;
}

async function callModel<Version extends AiSdkVersion>(
  request: ModelRequest,
  { signal, logger, onDelta, clock = systemClock }: ModelCallOptions,
  { model, context, timeoutMs, warnings }: CallContext<Version>,
): Promise<ModelTurn> {
  const prepared = prepareRequest(request, context, logger);
  const onWarnings = (given: unknown): void => warnings.read(given, logger);
  const answer = await withTimeLimit(timeoutMs, signal, async (abortSignal) => {
    const call = { ...prepared.options, abortSignal };
    try {
      if (onDelta !== undefined) {
        const { stream } = await model.doStream(call);
        return await readStream(stream, { signal: abortSignal, onDelta, onWarnings, clock });
      }
      const whole = await model.doGenerate(call);
      if (isRecord(whole)) onWarnings(whole['warnings']);
      return whole;
    } catch (error) {
      // Who aborted says why.
      throw abortSignal.aborted ? error : toProviderError(error);
    }
  });
  return readTurn(answer, { ...context, request, prepared });
}
