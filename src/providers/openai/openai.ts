import { assertOptions, type OptionsOf } from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { LanguageModel } from '../../core/runtime/index.ts';
import {
  askVendor,
  type ClientChoice,
  checkModelOptions,
  HostedToolRegistry,
  lazyClient,
  modelChecks,
  ProviderToolRegistry,
  planOpenAICaching,
  providerAdapter,
  type SharedModelOptions,
  searchedToolsCheck,
  ToolSchemas,
} from '../kit/index.ts';
import { openaiHostedToolCodecs } from './hosted/codecs.ts';
import { checkCacheSettings } from './request/prompt-caching.ts';
import { checkRequest, type OpenAIRequestParts, prepareRequest } from './request/request.ts';
import { toWireSettings } from './request/request-settings.ts';
import { toProviderError } from './response/provider-error.ts';
import { readStream } from './response/read-stream.ts';
import { readResponse } from './response/response.ts';
import { openaiProviderToolCodecs, toolSearchCodec } from './typed/codecs.ts';
import { createClient, type OpenAIClient, type OpenAIClientOptions } from './wire/client.ts';
import { openaiDialect } from './wire/openai-dialect.ts';

/** Options of every OpenAI adapter, independent of its client. */
export interface OpenAIModelOptions extends SharedModelOptions {
  /** The model's name, as the provider knows it. */
  readonly model: string;
  /**
   * Whether responses include the model's reasoning, encrypted, so that the next turn can continue from it. Models without
   * reasoning reject it. Default: derived from the model's name.
   */
  readonly encryptedReasoning?: boolean;
  /**
   * What the provider gets about its prompt cache. True: nothing, it caches by itself. False: it is off (`prompt_cache_options.mode: 'explicit'`, without a mark). Otherwise:
   *
   * - `key` groups requests that share a cache (`prompt_cache_key`): a string, or true to derive one from the instructions, so that the turns of a run and runs with the same instructions share
   *   it. Default: none.
   * - `ttl` is how long an entry is kept at least: `'30m'` or `'12h'`. Default: `'30m'`, the provider's own.
   * - `conversation: '12h'` marks where the two requests before had ended, to be kept for that long, while `ttl` holds for what is new. Default: no marks.
   * - `diagnose: true` asks why a request could not reuse the one before: `cache` of the event `model-call-end`. Default: false.
   *
   * All but `key` is for models from gpt-5.6 on, and refused for models that are known to be older. Beside it the settings cannot have `prompt_cache_key`, `prompt_cache_options` or
   * `prompt_cache_retention`. Default: as `true`.
   */
  readonly promptCaching?:
    | boolean
    | {
        readonly key?: string | true;
        readonly ttl?: '30m' | '12h';
        readonly conversation?: '30m' | '12h';
        readonly diagnose?: boolean;
      };
  /**
   * Where the model gets the tools of sections that are opened during a run. `'append'`: at the end of the list of tools, which comes before everything that the provider caches, so that the
   * request after an opening is charged in full. `'in-place'`: with the result that opens them, as `additional_tools`; the list of tools never changes. `'tool-search'`: the same in the shape that
   * the models were trained on, with `tool_search` (`execution: 'client'`) in the place of `open_sections`, and a namespace for each section (models from gpt-5.4 on, as for `'in-place'`). Models
   * and servers that do not know the shape refuse the request. Default: `'append'`.
   *
   * @see docs/spec/provider-tools.md §4
   */
  readonly openedTools?: 'append' | 'in-place' | 'tool-search';
}

/** Options of {@link openai}: with a client of your own, or with options to create one. */
export type OpenAIOptions = OpenAIModelOptions & ClientChoice<OpenAIClient, OpenAIClientOptions>;

const clientKeys = ['apiKey', 'baseURL', 'organization', 'project', 'defaultHeaders', 'fetch'] as const;

const openaiChecks: OptionsOf<OpenAIOptions> = {
  ...modelChecks,
  model: 'any',
  encryptedReasoning: 'boolean',
  openedTools: searchedToolsCheck,
  promptCaching: 'any',
  client: 'any',
  apiKey: 'any',
  baseURL: 'string',
  organization: 'string',
  project: 'string',
  defaultHeaders: 'object',
  fetch: 'function',
};

const movedOptions: ReadonlyMap<string, string> = new Map([['promptCacheKey', 'promptCaching.key']]);

/**
 * An adapter for OpenAI's Responses API and for compatible servers. The provider stores nothing: each request contains the
 * whole conversation, with the model's own items unchanged.
 *
 * Without a `client` the package `openai` is loaded at the first request; loading this module does not need it. Its own
 * retries are off: the evaluation retries, within its deadline (option `retry`).
 *
 * A failed request ends the evaluation with a `PromptEvaluationError` whose cause is a `ThrottleError`, a
 * `ModelResponseError`, a `MissingPeerError`, or the error that the client threw.
 *
 * ```ts no-run
 * import { promptTemplate, section } from 'weakincentives';
 * import { openai } from 'weakincentives/openai';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Answer in one sentence.' });
 * const prompt = promptTemplate({ ns: 'docs', key: 'answer', sections: [task] }).bind();
 * const { text } = await openai({ model: 'gpt-5' }).evaluate(prompt, { input: 'Why is the sky blue?' });
 * console.log(text);
 * ```
 *
 * @throws {PromptValidationError} for options that exclude each other or are invalid.
 */
export function openai(options: OpenAIOptions): ProviderAdapter {
  assertOptions('openai()', options, openaiChecks, { moved: movedOptions });
  checkModelOptions('OpenAI', options, clientKeys);
  return providerAdapter({ model: createModel(options) });
}

function createModel(options: OpenAIOptions): LanguageModel {
  const { model, name = 'openai', openedTools = 'append', unsupportedConfig } = options;
  const registry = new HostedToolRegistry({
    adapter: 'OpenAI',
    model,
    codecs: { ...openaiHostedToolCodecs, ...options.hostedToolCodecs },
    unsupportedConfig,
  });
  const providerTools = new ProviderToolRegistry({
    adapter: 'OpenAI',
    model,
    codecs: {
      ...openaiProviderToolCodecs,
      ...options.providerToolCodecs,
      ...present({ 'openai.tool_search': openedTools === 'tool-search' ? toolSearchCodec : undefined }),
    },
  });
  const settings = toWireSettings(options.settings ?? {});
  const caching = planOpenAICaching('openai()', model, options.promptCaching);
  checkCacheSettings(settings, caching);
  const requestOptions: OpenAIRequestParts = {
    model,
    provider: name,
    settings,
    encryptedReasoning: options.encryptedReasoning ?? !isWithoutReasoning(model),
    caching,
    projections: new ToolSchemas(openaiDialect),
    registry,
    providerTools,
    searchesTools: openedTools === 'tool-search',
  };
  const getClient = lazyClient<OpenAIClient, OpenAIClientOptions>(options, clientKeys, createClient);
  return {
    name,
    model,
    provider: 'openai',
    ...present({ settings: options.settings }),
    takesOutputSchema: true,
    providerToolKinds: providerTools.kinds,
    ...present({
      prices: options.prices,
      takesOpenedTools: openedTools === 'append' ? ('append' as const) : ('in-place' as const),
    }),
    check: (check) => void checkRequest(check, requestOptions),
    generate: async (request, callOptions) => {
      const prepared = prepareRequest(request, requestOptions, callOptions.logger);
      const { body, headers } = prepared;
      const client = await getClient();
      const response = await askVendor(callOptions, {
        client,
        defaultHeaders: options.defaultHeaders,
        headers,
        timeoutMs: options.timeoutMs,
        reportsSigns: options.client === undefined,
        send: (sendOptions, streaming) => client.responses.create({ ...body, ...streaming }, sendOptions),
        read: readStream,
        toError: toProviderError,
      });
      return readResponse(response, prepared, { provider: name, registry });
    },
  };
}

/** Known model families without reasoning, which reject its options. */
function isWithoutReasoning(model: string): boolean {
  return /^(ft:)?(gpt-[34](?![0-9])|chatgpt-|gpt-5(\.\d+)?-chat)/.test(model);
}
