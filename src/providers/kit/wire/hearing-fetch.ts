/** Under this key a request has what is called with each sign of the server. A client passes it on unread. */
const hears: unique symbol = Symbol('weakincentives.hears');

/** The part of the options of a request that {@link hearingFetch} reads. */
export interface HearingRequest {
  readonly [hears]?: () => void;
}

/** Options of a request by {@link hearingFetch}. @param heard is called with the headers of the answer, and with every part of its body. */
export function hearing(heard: () => void): HearingRequest {
  return { [hears]: heard };
}

/** A `fetch` that reports the signs of a server to requests with {@link hearing}: pings and comments too, which the clients of vendors do not show. */
export function hearingFetch(send: typeof fetch): typeof fetch {
  return async (input, init?: RequestInit & HearingRequest) => {
    const response = await send(input, init);
    const heard = init?.[hears];
    if (heard === undefined) return response;
    heard();
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const heardBody = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (part, controller) => {
          heard();
          controller.enqueue(part);
        },
      }),
    );
    return new Response(heardBody, { status, statusText, headers });
  };
}
