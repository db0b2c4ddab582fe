import type { ProviderAdapter } from '../../evaluation/index.ts';
import type { Clock } from '../../session/index.ts';
import type { ConformanceRequest } from './request.ts';
import type { ConformanceTurn } from './turn.ts';

/** How a case evaluates: with answers that come whole (`evaluate`), or piece by piece (`stream`). */
export type ConformanceMode = 'whole' | 'streamed';

/**
 * What a provider may be unable to say.
 *
 * - `streaming`: answers piece by piece. `reasoning`: what the model thinks. `reasoning-replay`: it wants its reasoning back.
 * - `malformed-arguments`: arguments that are no JSON. `missing-call-ids`, `repeated-call-ids`: calls without ids of their own.
 * - `usage`, `cached-tokens`, `cache-write-tokens`, `reasoning-tokens`: counts of tokens.
 * - `retry-after`: how long to wait. `quota-exceeded`, `bad-request`, `context-exceeded`, `nonsense`, `broken-off`: see `ConformanceTurn`.
 * - `cut-off`: it notices that a request that hangs is cut off.
 * - `length`, `context-window`, `content-filter`, `refusal`, `paused`: reasons to stop.
 * - `tool-choice`: that a tool must be called. `output-schema`: it holds the model to a schema. `max-output-tokens`: how long an answer may be.
 * - `images`, `image-results`: what the model can look at, of the user and with results of tools.
 * - `web-search`, `failed-web-search`, `citations`: hosted tools. `approvals`: it asks whether it may run something.
 */
export type ConformanceFeature =
  | 'streaming'
  | 'reasoning'
  | 'reasoning-replay'
  | 'malformed-arguments'
  | 'missing-call-ids'
  | 'repeated-call-ids'
  | 'usage'
  | 'cached-tokens'
  | 'cache-write-tokens'
  | 'reasoning-tokens'
  | 'retry-after'
  | 'quota-exceeded'
  | 'bad-request'
  | 'context-exceeded'
  | 'nonsense'
  | 'broken-off'
  | 'cut-off'
  | 'length'
  | 'context-window'
  | 'content-filter'
  | 'refusal'
  | 'paused'
  | 'tool-choice'
  | 'output-schema'
  | 'max-output-tokens'
  | 'images'
  | 'image-results'
  | 'web-search'
  | 'failed-web-search'
  | 'citations'
  | 'approvals';

/** A feature that a provider lacks, or that its adapter cannot use. */
export interface ConformanceGap {
  readonly feature: ConformanceFeature;
  /** Default: in both. */
  readonly mode?: ConformanceMode;
  /** Shown with every case that is left out. */
  readonly why: string;
}

/** The provider's side of one case: it answers requests and records them. */
export interface ConformanceProvider {
  /** Records a request. @returns the answer to it. Never throws. */
  answer(request: ConformanceRequest): ConformanceTurn;
  /** Records that the client aborted a pending request. */
  cutOff(): void;
}

/** An adapter that talks to a {@link ConformanceProvider}. */
export interface ConformanceConnection extends AsyncDisposable {
  readonly adapter: ProviderAdapter;
}

/**
 * An adapter with the other end of its wire. `connect` starts a stand-in for the provider, a server on the loopback interface or a client
 * of the test's own: it reads each request into a `ConformanceRequest`, asks `provider.answer` what to say, and
 * says it in the words of the wire.
 */
export interface ConformancePeer {
  /** Shown in the names of the cases. */
  readonly name: string;
  /** What cannot be said; cases that need it are left out by name. Default: everything can. */
  readonly gaps?: readonly ConformanceGap[];
  /** Called once per case. May reject: the case fails. */
  connect(provider: ConformanceProvider): Promise<ConformanceConnection>;
}

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
