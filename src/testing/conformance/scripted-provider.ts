import type { Clock } from '../../session/index.ts';
import type { ConformanceProvider } from './peer.ts';
import type { ConformanceRequest } from './request.ts';
import type { ConformanceTurn } from './turn.ts';

/** A provider that answers by a list, and keeps what it was sent. */
export class ScriptedProvider implements ConformanceProvider {
  readonly requests: ConformanceRequest[] = [];
  /** Resolves once a request hangs. */
  readonly isHanging: Promise<void>;
  /** Resolves once a request that hung was cut off. */
  readonly wasCutOff: Promise<void>;
  /** When the requests came, by the clock of the run. */
  readonly requestTimesMs: number[] = [];
  readonly #clock: Clock;
  readonly #turns: readonly ConformanceTurn[];
  #hang: () => void = () => undefined;
  #cutOff: () => void = () => undefined;

  constructor(turns: readonly ConformanceTurn[], clock: Clock) {
    this.#turns = turns;
    this.#clock = clock;
    this.isHanging = new Promise((resolve) => {
      this.#hang = resolve;
    });
    this.wasCutOff = new Promise((resolve) => {
      this.#cutOff = resolve;
    });
  }

  answer(request: ConformanceRequest): ConformanceTurn {
    this.requests.push(request);
    this.requestTimesMs.push(this.#clock.now());
    // What is asked beyond the list is counted when the case is over.
    const turn = this.#turns[this.requests.length - 1] ?? { type: 'bad-request' };
    if (turn.type === 'hanging') this.#hang();
    return turn;
  }

  cutOff(): void {
    this.#cutOff();
  }
}
