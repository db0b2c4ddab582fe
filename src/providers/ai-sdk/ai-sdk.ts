import { assertOptions, type OptionsOf, oneOf, PromptValidationError } from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { isRecord, present, untilAborted } from '../../core/internal/index.ts';
import type { ModelCallOptions, ModelRequest, ModelTurn } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { Logger, ModelSettings } from '../../core/tool/index.ts';
import {
  type CallIdForm,
  checkModelOptions,
  claudeCharactersPerToken,
  type HostedToolCodecTable,
  HostedToolRegistry,
  modelChecks,
  nineCharacterCallIds,
  ProviderToolRegistry,
  plainCallIds,
  providerAdapter,
  refuses,
  type SharedModelOptions,
  SilenceLimit,
  type StrictTools,
  searchedToolsCheck,
  ThinkingNotice,
  ToolSchemas,
  type WireFields,
} from '../kit/index.ts';
import { hostedToolCodecsOf } from './hosted/codecs.ts';
import { isClaude } from './request/cache-marks.ts';
import { openedToolsFormOf } from './request/opened-tools.ts';
import { checkCacheOptions, planCaching } from './request/prompt-caching.ts';
import { checkRequest, prepareRequest, type RequestContext } from './request/request.ts';
import { readSettings } from './request/request-settings.ts';
import { toProviderError } from './turn/provider-error.ts';
import { readStream } from './turn/stream.ts';
import { readTurn } from './turn/turn.ts';
import { providerToolCodecsOf, toolSearchCodec } from './typed/codecs.ts';
import { aiSdkDialect } from './wire/ai-sdk-dialect.ts';
import { type AiSdkModel, type AiSdkModelOf, assertModel } from './wire/ai-sdk-model.ts';
import type { AiSdkVersion } from './wire/call-options.ts';
import { type FileForm, filesOfV3, filesOfV4 } from './wire/files.ts';

/** Options of {@link aiSdk}. */
export interface AiSdkOptions extends SharedModelOptions {
  /** A language model of an AI SDK provider package, such as `anthropic('claude-sonnet-4-5')`; its interface is version 3 or 4. */
  readonly model: AiSdkModel;
  /**
   * Settings of every request: the provider-neutral ones, `topK`, `presencePenalty`,
   * `frequencyPenalty`, and `providerOptions` and `headers` as below. The `settings` of an evaluation take precedence.
   * Default: none.
   */
  readonly settings?: ModelSettings;
  /** Options of every request in the format of the provider package, by provider name: `{ openai: { store: false } }`. Default: none. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  /** Headers of every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Codecs for kinds of hosted tools, which replace the built-in ones of the model's provider. They serialize to tools of the
   * form `{ type: 'provider', id, name, args }`, and `request` may hold `providerOptions`. Default: the built-in ones, for
   * the packages `@ai-sdk/openai` (Responses), `@ai-sdk/anthropic` and `@ai-sdk/google`.
   */
  readonly hostedToolCodecs?: HostedToolCodecTable;
  /**
   * Whether the provider can enforce an output schema; otherwise the schema is part of the instructions. Answers are
   * validated in any case. Default: true.
   */
  readonly takesOutputSchema?: boolean;
  /**
   * Which tools of a request are sent with `strict: true`, for which the provider enforces the schema:
   *
   * - `'all-or-none'`: all of them when every schema can be enforced, otherwise none, because several providers reject a request with both kinds;
   * - `'each'`: each tool whose schema can be enforced, for providers that accept both kinds, such as OpenAI and Anthropic;
   * - `'none'`.
   *
   * Arguments are checked in any case. Default: `'all-or-none'`; `'none'` for DeepSeek, where only a beta URL accepts strict tools.
   */
  readonly strictTools?: 'all-or-none' | 'each' | 'none';
  /**
   * Prompt caching; what the model or its package does not take is refused by name.
   *
   * - Claude: `ttl` (`'5m'` or `'1h'`) and `conversation`, as with `anthropic()`, by breakpoints for the packages of Anthropic, Bedrock, Vertex and OpenRouter; false sets none.
   * - `@ai-sdk/openai`, Responses: `key`, `ttl` (`'30m'` or `'12h'`), `conversation`, `diagnose` and false, as with `openai()`. Chat Completions: `key`, `ttl: '30m'` and false.
   * - Other models: true only; what their packages have belongs in `providerOptions`.
   *
   * Default: as `true`.
   */
  readonly promptCaching?:
    | boolean
    | {
        readonly key?: string | true;
        readonly ttl?: '5m' | '30m' | '1h' | '12h';
        readonly conversation?: '5m' | '30m' | '1h' | '12h';
        readonly diagnose?: boolean;
      };
  /**
   * Where the model gets the tools of sections that are opened during a run: `'append'` or `'in-place'`, as with `openai()` and `anthropic()`. In place only for models of `@ai-sdk/openai` (Responses)
   * and `@ai-sdk/anthropic` with an interface of version 4; for others it is refused. `'tool-search'` is for models of `@ai-sdk/openai` (Responses) alone, with either
   * interface. Default: `'append'`.
   */
  readonly openedTools?: 'append' | 'in-place' | 'tool-search';
}

const aiSdkChecks: OptionsOf<AiSdkOptions> = {
  ...modelChecks,
  model: 'any',
  providerOptions: 'object',
  headers: 'object',
  takesOutputSchema: 'boolean',
  strictTools: oneOf(['all-or-none', 'each', 'none']),
  promptCaching: 'any',
  openedTools: searchedToolsCheck,
};

/**
 * An adapter for language models of the AI SDK, and so for every provider with an AI SDK package. It loads no package itself
 * and uses only the given model. Each request contains the whole conversation, with the model's own answers unchanged;
 * whether the provider stores anything depends on the model's options.
 *
 * A failed request ends the evaluation with a `PromptEvaluationError` whose cause is a `ThrottleError`, a `ModelResponseError`,
 * a `PromptValidationError` when the package omits a tool, or the error that the model threw.
 *
 * ```ts no-run
 * import { google } from '@ai-sdk/google';
 * import { promptTemplate, section } from 'weakincentives';
 * import { aiSdk } from 'weakincentives/ai-sdk';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Answer in one sentence.' });
 * const prompt = promptTemplate({ ns: 'docs', key: 'answer', sections: [task] }).bind();
 * const adapter = aiSdk({ model: google('gemini-2.5-pro') });
 * console.log((await adapter.evaluate(prompt, { input: 'Why is the sky blue?' })).text);
 * ```
 *
 * @throws {PromptValidationError} for a model of an unsupported version, or invalid options.
 */
export function aiSdk(options: AiSdkOptions): ProviderAdapter {
  assertOptions('aiSdk()', options, aiSdkChecks);
  const { model } = options;
  assertModel(model);
  checkModelOptions('AI SDK', { model: model.modelId }, []);
  const { openedTools = 'append' } = options;
  if (openedTools !== 'append' && openedToolsFormOf(model, openedTools) === undefined) {
    const which =
      openedTools === 'in-place'
        ? 'models of @ai-sdk/openai (Responses) and @ai-sdk/anthropic with an interface of version 4'
        : 'models of @ai-sdk/openai (Responses)';
    throw new PromptValidationError(
      `aiSdk(): openedTools '${openedTools}' is for ${which}; this one is of "${model.provider}", version ${model.specificationVersion}. Leave it out.`,
      { details: { option: 'openedTools', provider: model.provider } },
    );
  }
  return model.specificationVersion === 'v4'
    ? adapterOf(model, filesOfV4, options)
    : adapterOf(model, filesOfV3, options);
}

function adapterOf<Version extends AiSdkVersion>(
  model: AiSdkModelOf<Version>,
  files: FileForm<Version>,
  options: AiSdkOptions,
): ProviderAdapter {
  const {
    name = `${model.provider}/${model.modelId}`,
    openedTools = 'append',
    takesOutputSchema = true,
  } = options;
  const family = model.provider.replace(/\..*$/s, '');
  const context: RequestContext<Version> = {
    asked: {
      version: model.specificationVersion,
      provider: model.provider,
      modelId: model.modelId,
    },
    files,
    provider: name,
    family,
    openedTools: openedTools === 'append' ? undefined : openedToolsFormOf(model, openedTools),
    callIds: callIdsOf(model),
    claude: isClaude(model)
      ? { provider: name, modelId: model.modelId, knowsEffort: mayBudget(model) }
      : undefined,
    caching: planCaching(model, options.promptCaching),
    settings: [layerOf(options), options.settings ?? {}],
    projections: new ToolSchemas(aiSdkDialect, options.strictTools ?? defaultStrictTools(family)),
    providerTools: new ProviderToolRegistry({
      adapter: `AI SDK (${model.provider})`,
      model: model.modelId,
      codecs: {
        ...providerToolCodecsOf(model.provider, model.specificationVersion),
        ...options.providerToolCodecs,
        ...present({ 'openai.tool_search': openedTools === 'tool-search' ? toolSearchCodec : undefined }),
      },
    }),
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
  const { providerOptions } = readSettings(context.asked, context.settings);
  checkCacheOptions(providerOptions, context.caching);
  const asking = {
    model,
    context,
    timeoutMs: options.timeoutMs,
    warnings: new Warnings(name),
    notice: new ThinkingNotice(name),
  };
  return providerAdapter({
    model: {
      name,
      model: model.modelId,
      provider: toTelemetryName(model.provider),
      ...present({ settings: options.settings }),
      takesOutputSchema,
      providerToolKinds: context.providerTools.kinds,
      ...present({
        prices: options.prices,
        takesOpenedTools: openedTools === 'append' ? ('append' as const) : ('in-place' as const),
        charactersPerToken: isClaude(model) ? claudeCharactersPerToken : undefined,
      }),
      check: (check) => checkRequest(check, context),
      generate: (request, generateOptions) => {
        const { outputSchema: _told, ...plain } = request;
        return callModel(takesOutputSchema ? request : plain, generateOptions, asking);
      },
    },
  });
}

/** Packages that turn the effort of older Claude models into thinking with a budget. */
const budgetPackages = /anthropic|bedrock|gateway/i;

/** Whether an effort may become thinking with a budget. Models whose thinking cannot be turned off have none. */
function mayBudget({ provider, modelId }: Pick<AiSdkModel, 'provider' | 'modelId'>): boolean {
  return budgetPackages.test(provider) && !refuses(modelId, 'thinking-off');
}

/** Providers whose first name in the AI SDK is another one than in the GenAI conventions. */
const telemetryNames: ReadonlyMap<string, string> = new Map([
  ['google', 'gcp.gemini'],
  ['vertex', 'gcp.vertex_ai'],
  ['azure', 'azure.ai.openai'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['bedrock', 'aws.bedrock'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
]);

/** The DeepSeek package rejects strict tools at any URL but the beta one. */
function defaultStrictTools(family: string): StrictTools {
  return family === 'deepseek' ? 'none' : 'all-or-none';
}

/** The provider as the GenAI conventions of OpenTelemetry name it. @see docs/spec/events.md §6 */
function toTelemetryName(provider: string): string {
  const [family = provider] = provider.split('.');
  return telemetryNames.get(family) ?? family;
}

/** Mistral requires another form of ids, also when its models are served under other names. */
function callIdsOf({ provider, modelId }: Pick<AiSdkModel, 'provider' | 'modelId'>): CallIdForm {
  const isMistral = /(mi[sx]|minis|codes|devs|magis|pix)tral/i.test(`${provider} ${modelId}`);
  return isMistral ? nineCharacterCallIds : plainCallIds;
}

/** Options that can also be given as settings. */
function layerOf({ providerOptions, headers }: AiSdkOptions): ModelSettings {
  return {
    ...present({ providerOptions, headers }),
  };
}

/** The context of a call of the model. */
interface CallContext<Version extends AiSdkVersion> {
  readonly model: AiSdkModelOf<Version>;
  readonly context: RequestContext<Version>;
  readonly timeoutMs: number | undefined;
  readonly warnings: Warnings;
  readonly notice: ThinkingNotice;
}

async function callModel<Version extends AiSdkVersion>(
  request: ModelRequest,
  { signal, logger, onDelta, clock = systemClock }: ModelCallOptions,
  { model, context, timeoutMs, warnings, notice }: CallContext<Version>,
): Promise<ModelTurn> {
  const prepared = prepareRequest(request, context, {
    logger,
    onThinkingOff: () => notice.say({ logger, signal }),
  });
  const onWarnings = (given: unknown): void => warnings.read(given, logger);
  const silence = new SilenceLimit(timeoutMs, clock);
  const abortSignal = AbortSignal.any([signal, silence.signal]);
  const call = { ...prepared.options, abortSignal };
  /** What the model gives next; a package shows nothing of a whole answer before its end. */
  const given = <Result>(asked: PromiseLike<Result>): Promise<Result> =>
    untilAborted(Promise.resolve(asked), abortSignal);
  let answer: unknown;
  silence.wait();
  try {
    if (onDelta === undefined) {
      answer = await given(model.doGenerate(call));
      if (isRecord(answer)) onWarnings(answer['warnings']);
    } else {
      const { stream } = await given(model.doStream({ ...call, includeRawChunks: true }));
      silence.rest();
      answer = await readStream(stream, { signal: abortSignal, silence, onDelta, onWarnings, clock });
    }
  } catch (error) {
    // The reason of the abort takes precedence.
    abortSignal.throwIfAborted();
    throw toProviderError(error);
  } finally {
    silence.rest();
  }
  return readTurn(answer, { ...context, request, prepared });
}

/** Maximum number of remembered warnings; some contain parts of the conversation. */
const maxRemembered = 200;

/** Reads the warnings of a model: each is logged once. A warning that a tool was omitted ends the evaluation. */
class Warnings {
  readonly #model: string;
  readonly #logged = new Set<string>();

  /** @param model for messages. */
  constructor(model: string) {
    this.#model = model;
  }

  /** @throws {PromptValidationError} when the provider's package omitted tools. */
  read(warnings: unknown, logger: Logger): void {
    for (const warning of Array.isArray(warnings) ? warnings.filter(isRecord) : []) {
      const text = textOf(warning);
      if (isAboutTools(warning)) {
        throw new PromptValidationError(
          `${this.#model} did not receive all tools of the prompt (${text}). Remove the tool from the prompt, or use a model that supports it.`,
          { details: { warning: text } },
        );
      }
      if (this.#logged.has(text)) continue;
      if (this.#logged.size >= maxRemembered) this.#logged.clear();
      this.#logged.add(text);
      logger.warn(`${this.#model} warns: ${text}`, { type: String(warning['type']) });
    }
  }
}

/** True for a warning that a package omitted a tool from the request. */
function isAboutTools({ type, feature }: WireFields): boolean {
  return type === 'unsupported' && typeof feature === 'string' && leftOut.test(feature);
}

const leftOut = /^(tools?\b|(provider|function)[a-z -]* tool\b|combination of function and provider)/i;

function textOf({ type, feature, setting, message, details }: WireFields): string {
  return [type, feature, setting, message, details].filter((part) => typeof part === 'string').join(', ');
}
