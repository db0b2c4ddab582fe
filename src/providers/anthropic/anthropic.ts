import { assertOptions, integer, type OptionsOf, withDefaults } from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import {
  askVendor,
  assertClaudeOrder,
  type ClientChoice,
  checkModelOptions,
  claudeCachingSupport,
  claudeCharactersPerToken,
  HostedToolRegistry,
  lazyClient,
  modelChecks,
  openedToolsCheck,
  ProviderToolRegistry,
  providerAdapter,
  readCaching,
  type SharedModelOptions,
  ThinkingNotice,
  ToolSchemas,
  toProviderError,
  vendorErrorCodes,
} from '../kit/index.ts';
import { anthropicDialect } from './anthropic-dialect.ts';
import { type AnthropicClient, type AnthropicClientOptions, createClient } from './client.ts';
import { anthropicHostedToolCodecs } from './hosted/codecs.ts';
import { type ClaudeCachingPlan, prepareRequest, toWireChoice } from './request.ts';
import { checkForModel, toWireSettings } from './request-settings.ts';
import { readMessage } from './response.ts';
import { readMessageStream } from './stream.ts';
import { anthropicProviderToolCodecs } from './typed/codecs.ts';

/** Options of every Anthropic adapter, independent of its client. */
export interface AnthropicModelOptions extends SharedModelOptions {
  /** The model's name, as the provider knows it. */
  readonly model: string;
  /**
   * Maximum number of tokens of one answer, including thinking; at least 1. The provider requires a limit. The setting
   * `maxOutputTokens` takes precedence. Default: 16,000.
   */
  readonly maxTokens?: number;
  /**
   * Prompt caching, which makes the repeated part of requests cheaper; false turns it off, and true is the default.
   *
   * - `ttl` is the lifetime of a cache entry after its last use, `'5m'` unless it is given.
   * - `conversation` is that of what comes after tools and instructions, at most as long: `{ ttl: '1h', conversation: '5m' }` keeps only these for an hour. Default: as `ttl`.
   * - `diagnose: true` asks why a request could not reuse the one before (the beta `cache-diagnosis-2026-04-07`): `cache` of the event `model-call-end`. Default: false.
   *
   * The provider has no key for it: `key` is refused. Default: as `true`.
   */
  readonly promptCaching?:
    | boolean
    | { readonly ttl?: '5m' | '1h'; readonly conversation?: '5m' | '1h'; readonly diagnose?: boolean };
  /**
   * Beta features for every request, in addition to those of hosted tools and of the client's own headers. They are sent in the header
   * `anthropic-beta`. Default: none.
   */
  readonly betas?: readonly string[];
  /**
   * Where the model gets the tools of sections that are opened during a run. `'append'`: at the end of the list of tools, which comes before everything that the provider caches, so that the
   * request after an opening is charged in full. `'in-place'`: with the result that opens them, as `tool_reference` to tools that are declared with `defer_loading` (models from the generation 4.5 on); the list of tools never changes. Models and servers that do not know
   * that refuse the request. Default: `'append'`.
   */
  readonly openedTools?: 'append' | 'in-place';
}

/** Options of {@link anthropic}: with a client of your own, or with options to create one. */
export type AnthropicOptions = AnthropicModelOptions & ClientChoice<AnthropicClient, AnthropicClientOptions>;

const clientKeys = ['apiKey', 'authToken', 'baseURL', 'defaultHeaders', 'fetch'] as const;

const anthropicChecks: OptionsOf<AnthropicOptions, 'maxTokens'> = {
  ...modelChecks,
  model: 'any',
  maxTokens: integer({ min: 1, default: 16_000 }),
  promptCaching: 'any',
  betas: 'array',
  openedTools: openedToolsCheck,
  client: 'any',
  apiKey: 'any',
  authToken: 'string',
  baseURL: 'string',
  defaultHeaders: 'object',
  fetch: 'function',
};

/**
 * An adapter for Anthropic's Messages API and for compatible servers. The provider stores nothing except cache entries:
 * each request contains the whole conversation, with the model's own blocks unchanged.
 *
 * Without a `client` the package `@anthropic-ai/sdk` is loaded at the first request; loading this module does not need it. Its own
 * retries and its own tracing are off: the evaluation retries, within its deadline (option `retry`).
 *
 * A failed request ends the evaluation with a `PromptEvaluationError` whose cause is a `ThrottleError`, a
 * `ModelResponseError`, a `MissingPeerError`, or the error that the client threw.
 *
 * ```ts no-run
 * import { promptTemplate, section } from 'weakincentives';
 * import { anthropic } from 'weakincentives/anthropic';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Answer in one sentence.' });
 * const prompt = promptTemplate({ ns: 'docs', key: 'answer', sections: [task] }).bind();
 * const { text } = await anthropic({ model: 'claude-sonnet-4-5' }).evaluate(prompt, { input: 'Why is the sky blue?' });
 * console.log(text);
 * ```
 *
 * @throws {PromptValidationError} for options that exclude each other or are invalid.
 */
export function anthropic(options: AnthropicOptions): ProviderAdapter {
  assertOptions('anthropic()', options, anthropicChecks);
  const { model, name = 'anthropic', openedTools = 'append', settings = {}, betas = [] } = options;
  const { maxTokens } = withDefaults(anthropicChecks, options);
  const { unsupportedConfig } = options;
  checkModelOptions('Anthropic', options, clientKeys);
  toWireSettings(settings);
  const caching = planCaching(options.promptCaching);
  const projections = new ToolSchemas(anthropicDialect);
  const codecs = { ...anthropicHostedToolCodecs, ...options.hostedToolCodecs };
  const registry = new HostedToolRegistry({ adapter: 'Anthropic', model, codecs, unsupportedConfig });
  const providerTools = new ProviderToolRegistry({
    adapter: 'Anthropic',
    model,
    codecs: { ...anthropicProviderToolCodecs, ...options.providerToolCodecs },
  });
  const getClient = lazyClient<AnthropicClient, AnthropicClientOptions>(options, clientKeys, createClient);
  const notice = new ThinkingNotice(name);
  return providerAdapter({
    model: {
      name,
      model,
      provider: 'anthropic',
      ...present({ settings: options.settings }),
      takesExamples: true,
      takesOutputSchema: true,
      providerToolKinds: providerTools.kinds,
      ...present({ prices: options.prices, takesOpenedTools: openedTools }),
      charactersPerToken: claudeCharactersPerToken,
      check: (check) => {
        providerTools.declare(check);
        toWireChoice(check, { providerTools, registry }, undefined);
        toWireSettings(check.settings);
        checkForModel(model, check.toolChoice, settings, check.settings);
      },
      generate: async (request, callOptions) => {
        const prepared = prepareRequest(request, {
          model,
          provider: name,
          maxTokens,
          settings,
          betas,
          caching,
          projections,
          registry,
          providerTools,
          logger: callOptions.logger,
          onThinkingOff: () => notice.say(callOptions),
        });
        const { body, headers } = prepared;
        const client = await getClient();
        const message = await askVendor(callOptions, {
          client,
          defaultHeaders: options.defaultHeaders,
          headers,
          timeoutMs: options.timeoutMs,
          reportsSigns: options.client === undefined,
          send: (sendOptions, streaming) => client.messages.create({ ...body, ...streaming }, sendOptions),
          read: readMessageStream,
          toError: (error) => toProviderError(error, vendorErrorCodes),
        });
        return readMessage(message, name, prepared, registry);
      },
    },
  });
}

/** @returns undefined when the cache is off. */
function planCaching(caching: AnthropicModelOptions['promptCaching']): ClaudeCachingPlan | undefined {
  const asked = readCaching('anthropic()', caching, claudeCachingSupport);
  if (asked === false) return undefined;
  const { diagnose = false, ttl, conversation = ttl } = asked;
  assertClaudeOrder('anthropic()', asked);
  return {
    prefix: { type: 'ephemeral', ...present({ ttl }) },
    conversation: { type: 'ephemeral', ...present({ ttl: conversation }) },
    diagnoses: diagnose,
  };
}
