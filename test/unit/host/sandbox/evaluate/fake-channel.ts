import type { EvaluatorChannel } from '../../../../../src/host/sandbox/evaluate/evaluator.ts';
import type {
  EvaluationReply,
  EvaluationRequest,
} from '../../../../../src/host/sandbox/evaluate/protocol.ts';

/** A reply of code that succeeded, with differences. */
export const reply = (differences: Partial<EvaluationReply> = {}): EvaluationReply => ({
  failed: false,
  kind: 'json',
  value: '42',
  stdout: '',
  stderr: '',
  writes: [],
  ...differences,
});

/** What the process does with a request: it sends the messages, and ends after them if `undefined` is the last one. */
export type Answer = readonly unknown[];

/** A process whose messages the test decides on. */
export interface FakeChannel extends EvaluatorChannel {
  readonly requests: readonly EvaluationRequest[];
  readonly isKilled: boolean;
  /** Sends a message, or ends when it is `undefined`. */
  emit(message: unknown): void;
}

/** @param answer the messages for each request. Default: the process starts the code and replies with 42. */
export function fakeChannel(
  answer: (request: EvaluationRequest) => Answer = () => [{ started: true }, reply()],
  greeting: Answer = [{ ready: true }],
): FakeChannel {
  const requests: EvaluationRequest[] = [];
  const messages: unknown[] = [];
  let wake = (): void => undefined;
  let hasEnded = false;
  let isKilled = false;
  let isWanted = false;
  const emit = (message: unknown): void => {
    if (message === undefined) hasEnded = true;
    else messages.push(message);
    wake();
  };
  for (const message of greeting) emit(message);
  return {
    requests,
    emit,
    get isKilled() {
      return isKilled;
    },
    get isUsable() {
      return !hasEnded && (isWanted || messages.length === 0);
    },
    failure: new Error('The process ended with code 7.'),
    // The answer to a call is the next message, whatever it is.
    call: (async (name, ...parameters) => {
      if (name === 'take' && !hasEnded) {
        const [request] = parameters as unknown as [EvaluationRequest];
        requests.push(request);
        for (const one of answer(request)) emit(one);
      }
      isWanted = true;
      const arrived = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (messages.length === 0 && !hasEnded) await arrived;
      isWanted = false;
      if (messages.length === 0) throw new Error('The process has ended.');
      return messages.shift();
    }) as EvaluatorChannel['call'],
    kill: async () => {
      isKilled = true;
      hasEnded = true;
      wake();
    },
  };
}
