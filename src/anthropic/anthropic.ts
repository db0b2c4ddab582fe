import { assertOptions, PromptValidationError } from '../error/index.ts';
import { type ProviderAdapter } from '../evaluation/index.ts';
import {
  checkModelOptions,
  type HostedToolCodecs,
  HostedToolRegistry,
  isEventStream,
  lazyClient,
  providerAdapter,
  requestTimeoutMs,
  ToolSchemas,
  toProviderError,
  type UnsupportedConfig,
} from '../provider/internal.ts';
import type { TokenPrices } from '../tool/index.ts';
import { anthropicDialect } from './anthropic-dialect.ts';
import { type AnthropicClient, type AnthropicClientOptions, createClient } from './client.ts';
import { anthropicHostedToolCodecs } from './hosted/codecs.ts';
import { anthropicErrorCodes } from './provider-error.ts';
import { prepareRequest, toWireChoice } from './request.ts';
import { type AnthropicSettings, toWireSettings } from './request-settings.ts';
import { readMessage } from './response.ts';
import { readMessageStream } from './stream.ts';
import type { CacheControl } from './wire.ts';

/** What every adapter for Anthropic takes, whatever client it uses. */
export interface AnthropicModelOptions {
  /** The model's name, as the provider knows it. */
  readonly model: string;
  /**
   * Tokens that one answer may have, thinking included; at least 1. The provider requires a limit. `maxOutputTokens` of the settings goes
   * over it. Default: 16,000.
   */
  readonly maxTokens?: number;
  /**
   * Shown in events and errors, and the mark by which a conversation's own items are known again. Give servers that do not
   * know each other's items different names. Default: `anthropic`.
   */
  readonly name?: string;
  /**
   * Settings of every request: neutral ones, and others in the provider's words, such as
   * `{ maxOutputTokens: 2_000, thinking: { type: 'adaptive' } }`. An evaluation's own `settings` go over these. Default: none.
   */
  readonly settings?: AnthropicSettings;
  /** Timeout of a request in milliseconds; a deadline of the run can end it sooner. Default: 600,000. */
  readonly timeoutMs?: number;
  /** What the model costs, for budgets of evaluations that do not say. Default: not known; a budget that limits the cost is then refused. */
  readonly prices?: TokenPrices;
  /** Codecs by the kind of hosted tool that they speak for, over those that the adapter has. Default: none. */
  readonly hostedToolCodecs?: HostedToolCodecs;
  /** What to do with a hosted tool's config that the provider does not fully support. Default: `'error'`. */
  readonly unsupportedConfig?: UnsupportedConfig;
  /**
   * Whether the provider shall keep what was sent and read it again in the next request, for less money; false: no. `ttl` is how
   * long it keeps it after the last reading. Default: it does, for `'5m'`.
   */
  readonly promptCaching?: false | { readonly ttl?: '5m' | '1h' };
  /**
   * Beta features for every request, in addition to those of hosted tools. They are sent in the header `anthropic-beta`,
   * which replaces one set on the client. Default: none.
   */
  readonly betas?: readonly string[];
}

/** Options of {@link anthropic}: with a client of your own, or with what a client is made of. */
export type AnthropicOptions = AnthropicModelOptions &
  (
    | ({ readonly client: AnthropicClient } & { readonly [Key in keyof AnthropicClientOptions]?: never })
    | (AnthropicClientOptions & { readonly client?: never })
  );

const clientKeys = ['apiKey', 'authToken', 'baseURL', 'defaultHeaders', 'fetch'] as const;
const defaultMaxTokens = 16_000;

/**
 * An adapter for Anthropic's Messages interface and for servers that speak it. Nothing is kept at the provider but for the time
 * of its cache: each request brings the whole conversation, the model's own blocks exactly as they came.
 *
 * Without a `client` the package `@anthropic-ai/sdk` is loaded at the first request; loading this module does not need it. Its own
 * retries and its own tracing are off: the evaluation asks again by itself, within its deadline (option `retry`).
 *
 * A failed request ends the evaluation with a `PromptEvaluationError` whose cause is a `ThrottleError`, a
 * `ModelResponseError`, a `MissingPeerError`, or what the client threw.
 *
 * @throws {PromptValidationError} for options that exclude each other or cannot be used.
 */
export function anthropic(options: AnthropicOptions): ProviderAdapter {
  assertOptions('anthropic()', options, { settings: 'object' });
  const { model, name = 'anthropic', settings = {}, betas = [] } = options;
  const { maxTokens = defaultMaxTokens, unsupportedConfig } = options;
  checkModelOptions('Anthropic', options, clientKeys);
  checkMaxTokens(maxTokens);
  toWireSettings(settings);
  const cacheControl = toCacheControl(options.promptCaching);
  const projections = new ToolSchemas(anthropicDialect);
  const codecs = { ...anthropicHostedToolCodecs, ...options.hostedToolCodecs };
  const registry = new HostedToolRegistry({ adapter: 'Anthropic', model, codecs, unsupportedConfig });
  const getClient = lazyClient<AnthropicClient, AnthropicClientOptions>(options, clientKeys, createClient);
  return providerAdapter({
    model: {
      name,
      takesExamples: true,
      takesOutputSchema: true,
      ...(options.prices === undefined ? {} : { prices: options.prices }),
      check: (check) => {
        toWireChoice(check, registry, undefined);
        toWireSettings(check.settings);
      },
      generate: async (request, { signal, logger, onDelta, clock }) => {
        const prepared = prepareRequest(request, {
          ...{ model, provider: name, maxTokens, settings, betas },
          ...{ cacheControl, projections, registry, logger },
        });
        const { body, headers } = prepared;
        const client = await getClient();
        const left = new AbortController();
        let message: unknown;
        try {
          message = await client.messages.create(onDelta === undefined ? body : { ...body, stream: true }, {
            signal: onDelta === undefined ? signal : AbortSignal.any([signal, left.signal]),
            timeout: requestTimeoutMs(options.timeoutMs),
            maxRetries: 0,
            ...(Object.keys(headers).length === 0 ? {} : { headers: { ...headers } }),
          });
          if (isEventStream(message)) {
            message = await readMessageStream(message, {
              ...{ signal, clock, leave: () => left.abort() },
              ...(onDelta === undefined ? {} : { onDelta }),
            });
          }
        } catch (error) {
          throw toProviderError(error, anthropicErrorCodes);
        }
        return readMessage(message, name, prepared, registry);
      },
    },
  });
}

function checkMaxTokens(maxTokens: number): void {
  if (Number.isSafeInteger(maxTokens) && maxTokens >= 1) return;
  throw new PromptValidationError(
    `The option maxTokens must be a whole number of at least 1, got ${String(maxTokens)}.`,
    { details: { option: 'maxTokens', value: maxTokens } },
  );
}

function toCacheControl(caching: AnthropicModelOptions['promptCaching']): CacheControl | undefined {
  if (caching === false) return undefined;
  const ttl = caching?.ttl;
  if (ttl === undefined) return { type: 'ephemeral' };
  if (ttl === '5m' || ttl === '1h') return { type: 'ephemeral', ttl };
  throw new PromptValidationError(`The option promptCaching.ttl must be "5m" or "1h", got ${String(ttl)}.`, {
    details: { option: 'promptCaching.ttl', value: ttl },
  });
}
