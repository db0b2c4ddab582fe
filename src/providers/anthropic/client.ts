import { missingPeer, type PeerPackage } from '../../core/error/index.ts';
import type { FetchFunction } from '../../core/internal/index.ts';
import { reportingFetch, type VendorRequestOptions } from '../kit/index.ts';
import type { AnthropicRequest } from './wire.ts';

/** Options of one request. */
export interface AnthropicRequestOptions extends VendorRequestOptions {}

/**
 * The part of a client that the adapter uses. A client of the package `@anthropic-ai/sdk` fits, and so does an object of your
 * own, for example for a proxy or a test. `create` resolves to a message object or, for a body with `stream: true`, to an
 * async iterable of events. The `status`, `type` and `headers` of a rejection are evaluated.
 */
export interface AnthropicClient {
  readonly messages: {
    /** Sends one request. Must stop when `options.signal` is aborted. */
    create(body: AnthropicRequest, options: AnthropicRequestOptions): PromiseLike<unknown>;
  };
}

/** Options to create a client. Defaults are those of the package `@anthropic-ai/sdk` and its environment variables. */
export interface AnthropicClientOptions {
  /** The key, or a function that fetches one for each request. Default: the environment variable `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | (() => Promise<string>);
  /** A bearer token instead of a key. Default: the environment variable `ANTHROPIC_AUTH_TOKEN`. */
  readonly authToken?: string;
  /** The base URL, such as `http://127.0.0.1:8080`. Default: `ANTHROPIC_BASE_URL`, otherwise the provider's own URL. */
  readonly baseURL?: string;
  /** Headers of every request. */
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  /** Sends the requests, for example through a proxy. Default: the global `fetch`. */
  readonly fetch?: FetchFunction;
}

/** The part that is used of the package `@anthropic-ai/sdk`. */
export interface AnthropicModule {
  readonly Anthropic: new (
    options: AnthropicClientOptions & {
      readonly maxRetries: number;
      /** The client's own tracing would record every request twice. */
      readonly openTelemetry: false;
    },
  ) => AnthropicClient;
}

const peer: PeerPackage = {
  name: '@anthropic-ai/sdk',
  versions: '1',
  range: '^1',
  orElse: 'pass a client to the adapter',
};

async function loadModule(load: (() => Promise<AnthropicModule>) | undefined): Promise<AnthropicModule> {
  try {
    return load === undefined ? await import('@anthropic-ai/sdk') : await load();
  } catch (cause) {
    throw missingPeer(peer, cause);
  }
}

/**
 * A client of the package `@anthropic-ai/sdk`, which is loaded now.
 *
 * @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause.
 */
export async function createClient(
  options: AnthropicClientOptions,
  load?: () => Promise<AnthropicModule>,
): Promise<AnthropicClient> {
  const { Anthropic } = await loadModule(load);
  // oxlint-disable-next-line no-restricted-globals -- The default of the package itself.
  const send = reportingFetch(options.fetch ?? fetch);
  return new Anthropic({ ...options, fetch: send, maxRetries: 0, openTelemetry: false });
}
