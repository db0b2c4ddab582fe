import { missingPeer, type PeerPackage } from '../../../core/error/index.ts';
import { type FetchFunction, isRecord } from '../../../core/internal/index.ts';
import { failureReason, parseJsonText, reportingFetch, type VendorRequestOptions } from '../../kit/index.ts';
import type { OpenAIRequest } from './wire.ts';

/** Options of one request. */
export interface OpenAIRequestOptions extends VendorRequestOptions {}

/**
 * The part of a client that the adapter uses. A client of the package `openai` fits, and so does an object of your own, for
 * example for a proxy or a test. `create` resolves to a response object or, for a body with `stream`, to an async iterable
 * of events; a response object is accepted then, too, but without deltas. The `status`, `code` and `headers` of a rejection
 * are evaluated.
 */
export interface OpenAIClient {
  readonly responses: {
    /** Sends one request. Must stop when `options.signal` is aborted. */
    create(body: OpenAIRequest, options: OpenAIRequestOptions): PromiseLike<unknown>;
  };
}

/** Options to create a client. Defaults are those of the package `openai` and its environment variables. */
export interface OpenAIClientOptions {
  /** The key, or a function that fetches one for each request. Default: the environment variable `OPENAI_API_KEY`. */
  readonly apiKey?: string | (() => Promise<string>);
  /** The base URL, such as `http://127.0.0.1:8080/v1`. Default: `OPENAI_BASE_URL`, otherwise the provider's own URL. */
  readonly baseURL?: string;
  /** The organization that pays. Default: the environment variable `OPENAI_ORG_ID`. */
  readonly organization?: string;
  /** The project that the requests belong to. Default: the environment variable `OPENAI_PROJECT_ID`. */
  readonly project?: string;
  /** Headers of every request. */
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  /** Sends the requests, for example through a proxy. Default: the global `fetch`. */
  readonly fetch?: FetchFunction;
}

/** The part that is used of the package `openai`. */
export interface OpenAIModule {
  readonly OpenAI: new (
    options: OpenAIClientOptions & {
      readonly maxRetries: number;
    },
  ) => OpenAIClient;
}

const peer: PeerPackage = {
  name: 'openai',
  versions: '6 or 7',
  range: '^6 || ^7',
  orElse: 'pass a client to the adapter',
};

async function loadModule(load: (() => Promise<OpenAIModule>) | undefined): Promise<OpenAIModule> {
  try {
    return load === undefined ? await import('openai') : await load();
  } catch (cause) {
    throw missingPeer(peer, cause);
  }
}

/**
 * A client of the package `openai`, which is loaded now.
 *
 * @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause.
 */
export async function createClient(
  options: OpenAIClientOptions,
  load?: () => Promise<OpenAIModule>,
): Promise<OpenAIClient> {
  const { OpenAI } = await loadModule(load);
  // oxlint-disable-next-line no-restricted-globals -- The default of the package itself.
  const send = reportingFetch(withReadableFailures(options.fetch ?? fetch));
  return new OpenAI({ ...options, fetch: send, maxRetries: 0 });
}

/**
 * A `fetch` that converts error bodies to the form that the vendor's client reads, `{ error: { message } }`. For any other
 * form, such as `{ object: 'error', message }`, `{ detail }` or a web page, the client shows only the status or the whole page.
 */
export function withReadableFailures(send: FetchFunction): FetchFunction {
  return async (...request) => {
    const response = await send(...request);
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    // A truncated body is treated like an empty one.
    const text = await response.text().catch(() => '');
    return new Response(readable(text), { status, statusText, headers: withoutSizes(headers) });
  };
}

function readable(text: string): string {
  const body = parseJsonText(text);
  if (isRecord(body) && isRecord(body['error'])) return text;
  const message = failureReason(text);
  if (message === undefined) return text;
  // Some servers put the fields that the client reads from `error` beside the message.
  const { code, type, param } = isRecord(body) ? body : {};
  return JSON.stringify({ error: { message, code, type, param } });
}

/** Removes the headers that describe the original body. */
function withoutSizes(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name);
  return kept;
}
