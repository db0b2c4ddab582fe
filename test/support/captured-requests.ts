import type { JsonValue } from 'weakincentives';

/** One request as it went over the wire. */
export interface CapturedRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, JsonValue>>;
  /** The body as it was sent. */
  readonly text: string;
  readonly signal: AbortSignal | undefined;
}

/** A `fetch` that keeps what it is asked to send and answers from a list; the last answer is given again. */
export interface CapturingFetch {
  readonly fetch: typeof fetch;
  readonly requests: readonly CapturedRequest[];
}

/** An answer: a response, or the body of one with status 200. */
export type CapturedAnswer = Response | object | ((request: CapturedRequest) => Response | Promise<Response>);

export function capturingFetch(...answers: readonly CapturedAnswer[]): CapturingFetch {
  const requests: CapturedRequest[] = [];
  return {
    requests,
    fetch: async (input, init) => {
      if (typeof init?.body !== 'string') throw new Error('The request has no body of text.');
      const request: CapturedRequest = {
        url: input instanceof Request ? input.url : String(input),
        headers: new Headers(init.headers),
        body: JSON.parse(init.body),
        text: init.body,
        signal: init.signal ?? undefined,
      };
      requests.push(request);
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (typeof answer === 'function') return answer(request);
      return answer instanceof Response ? answer.clone() : Response.json(answer);
    },
  };
}
