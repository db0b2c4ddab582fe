import {
  checkModelOptions,
  defaultTimeoutMs,
  defineAdapter,
  lazyClient,
  type ProviderAdapter,
  SchemaProjections,
} from '../adapter/index.ts';
import type { TokenPrices } from '../tool/index.ts';
import { createClient, type OpenAIClient, type OpenAIClientOptions } from './client.ts';
import { openaiDialect } from './openai-dialect.ts';
import { toProviderError } from './provider-error.ts';
import { prepareRequest } from './request.ts';
import { checkSettings, type OpenAISettings } from './request-settings.ts';
import { readResponse } from './response.ts';

/** What every adapter for OpenAI takes, whatever client it uses. */
export interface OpenAIModelOptions {
  /** The model's name, as the provider knows it. */
  readonly model: string;
  /**
   * Shown in events and errors, and the mark by which a conversation's own items are known again. Give servers that do
   * not know each other's items different names. Default: `openai`.
   */
  readonly name?: string;
  /**
   * Settings of every request in the provider's words, such as `{ max_output_tokens: 2_000, reasoning: { effort: 'low' } }`.
   * An evaluation's own `settings` go over these. Default: none.
   */
  readonly settings?: OpenAISettings;
  /** Milliseconds until a request without an answer is given up; a deadline of the run ends it sooner. Default: 600,000. */
  readonly timeoutMs?: number;
  /** What the model costs, for budgets of evaluations that do not say. Default: not known; a budget that limits the cost is then refused. */
  readonly prices?: TokenPrices;
  /**
   * Whether responses shall hold the model's reasoning, encrypted, so that it can go on with it in the next turn. Models
   * without reasoning refuse it. Default: decided by the model's name.
   */
  readonly encryptedReasoning?: boolean;
}

/** Options of {@link openai}: with a client of your own, or with what a client is made of. */
export type OpenAIOptions = OpenAIModelOptions &
  (
    | ({ readonly client: OpenAIClient } & { readonly [Key in keyof OpenAIClientOptions]?: never })
    | (OpenAIClientOptions & { readonly client?: never })
  );

const clientKeys = ['apiKey', 'baseURL', 'organization', 'project', 'defaultHeaders', 'fetch'] as const;

/**
 * An adapter for OpenAI's Responses interface and for servers that speak it. Nothing is kept at the provider: each
 * request brings the whole conversation, the model's own items exactly as they came.
 *
 * Without a `client` the package `openai` is loaded at the first request; loading this module does not need it. Its own
 * retries are off, since the evaluation asks again by itself, within its deadline (option `throttle`).
 *
 * A failed request ends the evaluation with a `PromptEvaluationError` whose cause is a `ThrottleError`, a
 * `ModelResponseError`, a `MissingPeerError`, or what the client threw.
 *
 * @throws {PromptValidationError} for options that exclude each other or cannot be used.
 */
export function openai(options: OpenAIOptions): ProviderAdapter {
  const { model, name = 'openai', settings = {}, timeoutMs = defaultTimeoutMs } = options;
  checkModelOptions('OpenAI', options, clientKeys);
  checkSettings(settings);
  const encryptedReasoning = options.encryptedReasoning ?? !isWithoutReasoning(model);
  const projections = new SchemaProjections(openaiDialect);
  const getClient = lazyClient<OpenAIClient, OpenAIClientOptions>(options, clientKeys, createClient);
  return defineAdapter({
    model: {
      name,
      takesOutputSchema: true,
      ...(options.prices === undefined ? {} : { prices: options.prices }),
      generate: async (request, { signal, logger }) => {
        const prepared = prepareRequest(request, {
          model,
          provider: name,
          settings,
          encryptedReasoning,
          projections,
          logger,
        });
        const client = await getClient();
        let response: unknown;
        try {
          response = await client.responses.create(prepared.body, {
            signal,
            timeout: timeoutMs,
            maxRetries: 0,
          });
        } catch (error) {
          throw toProviderError(error);
        }
        return readResponse(response, name, prepared);
      },
    },
  });
}

/** Known families that do not reason and refuse to be asked for reasoning. */
function isWithoutReasoning(model: string): boolean {
  return /^(ft:)?(gpt-[34](?![0-9])|chatgpt-|gpt-5(\.\d+)?-chat)/.test(model);
}
