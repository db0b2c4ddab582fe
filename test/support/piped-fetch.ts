/** One request, whose answer the test sends piece by piece. */
export interface PipedRequest {
  readonly isStreaming: boolean;
  /** Sends a part of the body; the headers go with the first one. */
  send(text: string): void;
  /** Ends the body. */
  close(): void;
  /** The connection is lost. */
  lose(): void;
  /** Resolves once the client has left. */
  readonly isLeft: Promise<void>;
}

/** A `fetch` whose answers are under the control of the test. */
export interface PipedFetch {
  readonly fetch: typeof globalThis.fetch;
  readonly requests: readonly PipedRequest[];
}

/** @param onRequest is called with each request, before its headers are sent. */
export function pipedFetch(onRequest: (request: PipedRequest, number: number) => void): PipedFetch {
  const requests: PipedRequest[] = [];
  return {
    requests,
    fetch: (input, init) =>
      new Promise((resolve, reject) => {
        const encoder = new TextEncoder();
        let leave = (): void => undefined;
        const isLeft = new Promise<void>((left) => {
          leave = left;
        });
        let isOpen = true;
        let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
        const end = (act: () => void): void => {
          if (isOpen) act();
          isOpen = false;
        };
        const body = new ReadableStream<Uint8Array>({
          start: (given) => {
            controller = given;
          },
          cancel: () => end(leave),
        });
        const url = input instanceof Request ? input.url : String(input);
        const isStreaming =
          url.includes('stream') || (typeof init?.body === 'string' && init.body.includes('"stream":true'));
        const headers = { 'content-type': isStreaming ? 'text/event-stream' : 'application/json' };
        init?.signal?.addEventListener('abort', () => {
          end(() => {
            controller?.error(init.signal?.reason);
            reject(init.signal?.reason);
            leave();
          });
        });
        const response = new Response(body, { headers });
        const answer = (): void => resolve(response);
        const request: PipedRequest = {
          isStreaming,
          isLeft,
          send: (text) => {
            answer();
            if (isOpen) controller?.enqueue(encoder.encode(text));
          },
          close: () => {
            answer();
            end(() => controller?.close());
          },
          lose: () => {
            answer();
            end(() => controller?.error(new TypeError('terminated')));
          },
        };
        requests.push(request);
        onRequest(request, requests.length);
      }),
  };
}
