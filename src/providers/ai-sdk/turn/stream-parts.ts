import { isRecord } from '../../../core/internal/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import { type StreamListener, streamEndGraceMs } from '../../kit/index.ts';
import type { AiSdkStream, AiSdkStreamReader } from '../wire/ai-sdk-model.ts';
import type { ProviderEnd } from './provider-end.ts';

/** Type of the part that takes the place of a finish that does not come. */
export const endPart = 'provider-end';

interface Part {
  readonly done: boolean;
  readonly value?: unknown;
}

const over: Part = Object.freeze({ done: true });

/**
 * The parts of a stream. Once the provider has ended its answer, further parts are waited for a second each; then the connection is closed, and a part of the
 * type {@link endPart} comes in place of the finish, which packages give only when the provider closes it. What fails after the end has no consequences.
 */
export class StreamParts implements AsyncIterableIterator<unknown> {
  readonly #reader: AiSdkStreamReader;
  readonly #end: ProviderEnd;
  readonly #listener: Pick<StreamListener, 'signal' | 'silence'>;
  readonly #clock: Pick<Clock, 'schedule'>;
  /** After the end: resolves when the next part comes too late. */
  #late: Promise<Part> | undefined;
  #cancelLate: () => void = () => undefined;
  #hasFinish = false;
  #isLeft = false;

  constructor(stream: AiSdkStream, end: ProviderEnd, { clock = systemClock, ...listener }: StreamListener) {
    this.#reader = stream.getReader();
    this.#end = end;
    this.#listener = listener;
    this.#clock = clock;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<unknown>> {
    if (this.#isLeft) return { done: true, value: undefined };
    const { done, value } = await this.#read();
    if (!done) {
      this.#note(value);
      return { done, value };
    }
    if (this.#hasFinish || !this.#end.hasEnded) return { done, value };
    this.return().catch(() => undefined);
    return { done: false, value: { type: endPart } };
  }

  async return(): Promise<IteratorResult<unknown>> {
    this.#isLeft = true;
    this.#cancelLate();
    await this.#reader.cancel(this.#listener.signal.reason);
    return { done: true, value: undefined };
  }

  async #read(): Promise<Part> {
    const part = this.#reader.read();
    if (this.#late === undefined) return part;
    // This wait has a limit of its own, and passing it is not a failure.
    this.#listener.silence?.rest();
    return Promise.race([part, this.#late]).catch(() => over);
  }

  #note(part: unknown): void {
    if (!isRecord(part)) return;
    const { type } = part;
    if (type === 'finish') {
      this.#hasFinish = true;
      this.#late = undefined;
      this.#cancelLate();
      return;
    }
    const isNews = type === 'raw' ? this.#end.take(part['rawValue']) : type !== 'ping';
    if (isNews && this.#end.hasEnded) this.#waitAgain();
  }

  #waitAgain(): void {
    this.#cancelLate();
    this.#late = new Promise((resolve) => {
      this.#cancelLate = this.#clock.schedule(streamEndGraceMs, () => resolve(over));
    });
  }
}
