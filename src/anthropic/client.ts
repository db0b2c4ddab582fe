import { MissingPeerError } from '../error/index.ts';
import type { AnthropicRequest } from './wire.ts';

/** How one request is sent. */
export interface AnthropicRequestOptions {
  /** Ends the request, and the stream that it came to, when aborted. */
  readonly signal: AbortSignal;
  /** Timeout of the request in milliseconds. */
  readonly timeout: number;
  /** Always 0: the evaluation retries, because it knows the deadline. */
  readonly maxRetries: number;
  /** Headers of this request, such as the beta features that its hosted tools need. Absent when there are none. */
  readonly headers?: Record<string, string>;
}

/**
 * What the adapter needs of a client. A client of the package `@anthropic-ai/sdk` fits, and so does an object of your own, say for
 * a proxy or a test. `create` resolves to a message object of the provider or, for a body with `stream: true`, to an async iterable of
 * its events; what it rejects with is read by its `status`, `type` and `headers`.
 */
export interface AnthropicClient {
  readonly messages: {
    /** Sends one request. Must stop when `options.signal` is aborted. */
    create(body: AnthropicRequest, options: AnthropicRequestOptions): PromiseLike<unknown>;
  };
}

/** How a client is made when none is given. What is absent is up to the package `@anthropic-ai/sdk` and its environment variables. */
export interface AnthropicClientOptions {
  /** The key, or a function that fetches one for each request. Default: the environment variable `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | (() => Promise<string>);
  /** A bearer token instead of a key. Default: the environment variable `ANTHROPIC_AUTH_TOKEN`. */
  readonly authToken?: string;
  /** Where requests go, such as `http://127.0.0.1:8080`. Default: `ANTHROPIC_BASE_URL`, else the provider's own address. */
  readonly baseURL?: string;
  /** Headers of every request. */
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  /** Sends the requests, for a proxy or to look at them. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** What is used of the package `@anthropic-ai/sdk`. */
export interface AnthropicModule {
  readonly Anthropic: new (
    options: AnthropicClientOptions & {
      readonly maxRetries: number;
      /** The client's own tracing would record every request twice. */
      readonly openTelemetry: false;
    },
  ) => AnthropicClient;
}

/**
 * A client of the package `@anthropic-ai/sdk`, which is loaded now.
 *
 * @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause.
 */
export async function createClient(
  options: AnthropicClientOptions,
  load: () => Promise<AnthropicModule> = () => import('@anthropic-ai/sdk'),
): Promise<AnthropicClient> {
  const { Anthropic } = await load().catch((cause: unknown) => {
    throw new MissingPeerError(
      'The package "@anthropic-ai/sdk" could not be loaded. Install it with "npm install @anthropic-ai/sdk" (version 1), or give the adapter a client.',
      { cause, details: { package: '@anthropic-ai/sdk', range: '^1' } },
    );
  });
  return new Anthropic({ ...options, maxRetries: 0, openTelemetry: false });
}
