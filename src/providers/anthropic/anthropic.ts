import { assertOptions, integer, type OptionsOf, withDefaults } from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { TokenPrices } from '../../core/tool/index.ts';
import {
  askVendor,
  assertCaching,
  checkModelOptions,
  type HostedToolCodecTable,
  HostedToolRegistry,
  lazyClient,
  modelChecks,
  providerAdapter,
  ToolSchemas,
  toProviderError,
  type UnsupportedConfig,
  vendorErrorCodes,
} from '../kit/index.ts';
import { anthropicDialect } from './anthropic-dialect.ts';
import {
  type AnthropicClient,
  type AnthropicClientOptions,
  type AnthropicRequestOptions,
  createClient,
} from './client.ts';
import { anthropicHostedToolCodecs } from './hosted/codecs.ts';
import { prepareRequest, toWireChoice } from './request.ts';
import { type AnthropicSettings, toWireSettings } from './request-settings.ts';
import { readMessage } from './response.ts';
import { readMessageStream } from './stream.ts';
import type { AnthropicRequest, CacheControl } from './wire.ts';

/** Options of every Anthropic adapter, independent of its client. */
export interface AnthropicModelOptions {
  /** The model's name, as the provider knows it. */
  readonly model: string;
  /**
   * Maximum number of tokens of one answer, including thinking; at least 1. The provider requires a limit. The setting
   * `maxOutputTokens` takes precedence. Default: 16,000.
   */
  readonly maxTokens?: number;
  /**
   * Name in events and errors; also identifies the adapter's own items in a conversation. Use different names for servers that
   * do not accept each other's items. Default: `anthropic`.
   */
  readonly name?: string;
  /**
   * Settings of every request: provider-neutral ones, and others in the provider's format, such as
   * `{ maxOutputTokens: 2_000, thinking: { type: 'adaptive' } }`. The `settings` of an evaluation take precedence. Default: none.
   */
  readonly settings?: AnthropicSettings;
  /** Timeout of a request in milliseconds; a deadline of the run can end it sooner. Default: 600,000. */
  readonly timeoutMs?: number;
  /** Prices of the model, for budgets without prices. Default: unknown; a budget that limits the cost is then an error. */
  readonly prices?: TokenPrices;
  /** Codecs by kind of hosted tool, which replace those of the adapter. Default: none. */
  readonly hostedToolCodecs?: HostedToolCodecTable;
  /** What to do with a hosted tool's config that the provider does not fully support. Default: `'error'`. */
  readonly unsupportedConfig?: UnsupportedConfig;
  /**
   * Prompt caching, which makes the repeated part of requests cheaper; false turns it off. `ttl` is the lifetime of a cache
   * entry after its last use. Default: on, `'5m'`.
   */
  readonly promptCaching?: false | { readonly ttl?: '5m' | '1h' };
  /**
   * Beta features for every request, in addition to those of hosted tools. They are sent in the header `anthropic-beta`,
   * which replaces one set on the client. Default: none.
   */
  readonly betas?: readonly string[];
}

/** Options of {@link anthropic}: with a client of your own, or with options to create one. */
export type AnthropicOptions = AnthropicModelOptions &
  (
    | ({ readonly client: AnthropicClient } & { readonly [Key in keyof AnthropicClientOptions]?: never })
    | (AnthropicClientOptions & { readonly client?: never })
  );

const clientKeys = ['apiKey', 'authToken', 'baseURL', 'defaultHeaders', 'fetch'] as const;

const anthropicChecks: OptionsOf<AnthropicOptions, 'maxTokens'> = {
  ...modelChecks,
  model: 'any',
  maxTokens: integer({ min: 1, default: 16_000 }),
  promptCaching: 'any',
  betas: 'array',
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
 * @throws {PromptValidationError} for options that exclude each other or are invalid.
 */
export function anthropic(options: AnthropicOptions): ProviderAdapter {
  assertOptions('anthropic()', options, anthropicChecks);
  const { model, name = 'anthropic', settings = {}, betas = [] } = options;
  const { maxTokens } = withDefaults(anthropicChecks, options);
  const { unsupportedConfig } = options;
  checkModelOptions('Anthropic', options, clientKeys);
  toWireSettings(settings);
  const cacheControl = toCacheControl(options.promptCaching);
  const projections = new ToolSchemas(anthropicDialect);
  const codecs = { ...anthropicHostedToolCodecs, ...options.hostedToolCodecs };
  const registry = new HostedToolRegistry({ adapter: 'Anthropic', model, codecs, unsupportedConfig });
  const getClient = lazyClient<AnthropicClient, AnthropicClientOptions>(options, clientKeys, createClient);
  return providerAdapter({
    model: {
      name,
      model,
      provider: 'anthropic',
      ...present({ settings: options.settings }),
      takesExamples: true,
      takesOutputSchema: true,
      ...present({ prices: options.prices }),
      check: (check) => {
        toWireChoice(check, registry, undefined);
        toWireSettings(check.settings);
      },
      generate: async (request, callOptions) => {
        const prepared = prepareRequest(request, {
          model,
          provider: name,
          maxTokens,
          settings,
          betas,
          cacheControl,
          projections,
          registry,
          logger: callOptions.logger,
        });
        const { body, headers } = prepared;
        const client = await getClient();
        const send = async (
          sendOptions: AnthropicRequestOptions,
          streaming: Pick<AnthropicRequest, 'stream'>,
        ) => {
          try {
            return await client.messages.create({ ...body, ...streaming }, sendOptions);
          } catch (error) {
            throw toProviderError(error, vendorErrorCodes);
          }
        };
        const { timeoutMs } = options;
        const message = await askVendor(callOptions, { headers, timeoutMs }, send, readMessageStream);
        return readMessage(message, name, prepared, registry);
      },
    },
  });
}

function toCacheControl(caching: AnthropicModelOptions['promptCaching']): CacheControl | undefined {
  assertCaching('anthropic()', caching);
  if (caching === false) return undefined;
  return { type: 'ephemeral', ...present({ ttl: caching?.ttl }) };
}
