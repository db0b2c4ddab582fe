import type { FetchFunction } from '../../../core/internal/index.ts';

/** Under this key a request has what is called with each sign of the server. A client passes it on unread. */
const signListener: unique symbol = Symbol('onSign');

/** The part of the options of a request that {@link reportingFetch} reads. */
export interface ReportingRequest {
  readonly [signListener]?: () => void;
}

/** Options of a request by {@link reportingFetch}. @param onSign is called with the headers of the answer, and with every part of its body. */
export function reporting(onSign: () => void): ReportingRequest {
  return { [signListener]: onSign };
}

/** A `fetch` that reports the signs of a server to requests with {@link reporting}: pings and comments too, which the clients of vendors do not show. */
export function reportingFetch(send: FetchFunction): FetchFunction {
  return async (input, init?: RequestInit & ReportingRequest) => {
    const response = await send(input, init);
    const onSign = init?.[signListener];
    if (onSign === undefined) return response;
    onSign();
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const watchedBody = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (part, controller) => {
          onSign();
          controller.enqueue(part);
        },
      }),
    );
    return new Response(watchedBody, { status, statusText, headers });
  };
}
