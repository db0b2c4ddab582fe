import { MissingPeerError } from '../../error/index.ts';
import { isRecord } from '../../internal/index.ts';
import { failureReason, parseJsonText } from '../../provider/internal.ts';
import type { OpenAIRequest } from './wire.ts';

/** How one request is sent. */
export interface OpenAIRequestOptions {
  /** Ends the request when aborted. */
  readonly signal: AbortSignal;
  /** Timeout of the request in milliseconds. */
  readonly timeout: number;
  /** Always 0: the evaluation retries, because it knows the deadline. */
  readonly maxRetries: number;
  /** Headers of this request, beside those of the client. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

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

/** How a client is made when none is given. What is absent is up to the package `openai` and its environment variables. */
export interface OpenAIClientOptions {
  /** The key, or a function that fetches one for each request. Default: the environment variable `OPENAI_API_KEY`. */
  readonly apiKey?: string | (() => Promise<string>);
  /** Where requests go, such as `http://127.0.0.1:8080/v1`. Default: `OPENAI_BASE_URL`, else the provider's own address. */
  readonly baseURL?: string;
  readonly organization?: string;
  readonly project?: string;
  /** Headers of every request. */
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  /** Sends the requests, for a proxy or to look at them. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** What is used of the package `openai`. */
export interface OpenAIModule {
  readonly OpenAI: new (
    options: OpenAIClientOptions & {
      readonly maxRetries: number;
    },
  ) => OpenAIClient;
}

/**
 * A client of the package `openai`, which is loaded now.
 *
 * @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause.
 */
export async function createClient(
  options: OpenAIClientOptions,
  load: () => Promise<OpenAIModule> = () => import('openai'),
): Promise<OpenAIClient> {
  const { OpenAI } = await load().catch((cause: unknown) => {
    throw new MissingPeerError(
      'The package "openai" could not be loaded. Install it with "npm install openai" (version 6 or 7), or give the adapter a client.',
      { cause, details: { package: 'openai', range: '^6 || ^7' } },
    );
  });
  // oxlint-disable-next-line no-restricted-globals -- It is what the package itself takes when it is given none.
  const send = withReadableFailures(options.fetch ?? fetch);
  return new OpenAI({ ...options, fetch: send, maxRetries: 0 });
}

/**
 * A `fetch` whose failed answers say why in the form that the vendor's client reads, `{ error: { message } }`: of any other form, such as
 * `{ object: 'error', message }`, `{ detail }` or a web page, the client shows the status alone or the whole page.
 */
export function withReadableFailures(send: typeof fetch): typeof fetch {
  return async (...request) => {
    const response = await send(...request);
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    // A truncated body says as little as an empty one.
    const text = await response.text().catch(() => '');
    return new Response(readable(text), { status, statusText, headers: withoutSizes(headers) });
  };
}

function readable(text: string): string {
  const body = parseJsonText(text);
  if (isRecord(body) && isRecord(body['error'])) return text;
  const message = failureReason(text);
  if (message === undefined) return text;
  // Some servers write what the client looks for in the error beside the message.
  const { code, type, param } = isRecord(body) ? body : {};
  return JSON.stringify({ error: { message, code, type, param } });
}

/** What the headers say of the body that was read does not hold for another one. */
function withoutSizes(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name);
  return kept;
}
