import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { ConformanceRequest } from './request.ts';
import type { ConformanceTurn } from './turn.ts';

/** How a case evaluates: with complete answers (`evaluate`), or with streamed ones (`stream`). */
export type ConformanceMode = 'whole' | 'streamed';

/**
 * What a provider or its wire format may not support.
 *
 * - `streaming`: streamed answers. `reasoning`: reasoning of the model. `reasoning-replay`: requests include earlier reasoning.
 * - `malformed-arguments`: arguments that are not JSON. `missing-call-ids`, `repeated-call-ids`: calls without unique ids.
 * - `usage`, `cached-tokens`, `cache-write-tokens`, `reasoning-tokens`: counts of tokens.
 * - `retry-after`: the delay before a retry. `quota-exceeded`, `bad-request`, `context-exceeded`, `nonsense`, `broken-off`: see `ConformanceTurn`.
 * - `no-answer`: bodies with status 200 that are not an answer. `silence`: the adapter ends a request whose provider gives no sign for too long, by the clock of the run.
 * - `zero-usage`, `null-usage`, `total-usage`: see `uncounted` of `ConformanceAnswer`.
 * - `cut-off`: the provider notices that the client aborts a pending request.
 * - `length`, `context-window`, `content-filter`, `refusal`, `paused`: reasons to stop.
 * - `tool-choice`: required tool calls. `output-schema`: answers constrained by a schema. `max-output-tokens`: a limit on the length of answers.
 * - `images`, `image-results`: images from the user, and in tool results.
 * - `web-search`, `failed-web-search`, `citations`: hosted tools. `approvals`: approval requests of the provider.
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
  | 'no-answer'
  | 'silence'
  | 'zero-usage'
  | 'null-usage'
  | 'total-usage'
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

/** What only some providers have. */
export type ConformanceExtra = NonNullable<ConformancePeer['extras']>[number];

/** A feature that a provider lacks, or that its adapter cannot use. */
export interface ConformanceGap {
  readonly feature: ConformanceFeature;
  /** Default: both. */
  readonly mode?: ConformanceMode;
  /** Shown with every skipped case. */
  readonly why: string;
}

/**
 * A case that an adapter cannot meet, because it refuses an option that the case uses. The case still runs: it demands that the adapter refuses the option before
 * anything is begun, with a `PromptValidationError` that names it.
 */
export interface ConformanceRefusedCase {
  /** Name of the case, without peer and mode. */
  readonly name: string;
  /** As in `details.option` of the error: `history`, `settings.maxOutputTokens`; `hostedTools` for the hosted tools of a prompt. */
  readonly option: string;
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
 * An adapter and the other side of its connection. `connect` starts a stand-in for the provider, a server on the loopback interface or a client
 * of the test's own: it reads each request into a `ConformanceRequest`, gets the answer from
 * `provider.answer`, and sends it in the wire format.
 */
export interface ConformancePeer {
  /** Shown in the names of the cases. */
  readonly name: string;
  /** Unsupported features; cases that need one are skipped. Default: none. */
  readonly gaps?: readonly ConformanceGap[];
  /**
   * What the provider has that most do not; cases that need something else of this list are left out. Default: none.
   *
   * - `compaction`: it puts a summary in the place of the conversation before it. `failed-compaction`: a summary that says that it failed goes back, too.
   * - `compaction-pause`: it pauses the turn after a summary. `compaction-usage`: it counts a summary apart from the rest of the answer.
   * - `program-calls`: a program of it calls tools, and has to be named with their results.
   * - `client-items`: items that ask the client for what no tool of the prompt gives.
   */
  readonly extras?: readonly (
    | 'compaction'
    | 'failed-compaction'
    | 'compaction-pause'
    | 'compaction-usage'
    | 'program-calls'
    | 'client-items'
  )[];
  /** Cases whose options the adapter refuses; a name that no case has is refused. Default: none. */
  readonly refused?: readonly ConformanceRefusedCase[];
  /** How long the adapter waits for the next sign of the provider, in milliseconds: the cases of silence let it pass. Absent: ten minutes, the `timeoutMs` of the adapters here. */
  readonly timeoutMs?: number;
  /** Called once per case. May reject: the case fails. */
  connect(provider: ConformanceProvider): Promise<ConformanceConnection>;
}

/** A provider that answers from a list and records its requests. */
export class ScriptedProvider implements ConformanceProvider {
  readonly requests: ConformanceRequest[] = [];
  /** Resolves once a request hangs. */
  readonly isHanging: Promise<void>;
  /** Resolves once a pending request was aborted. */
  readonly wasCutOff: Promise<void>;
  /** Times of the requests, by the clock of the run. */
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
    // Requests beyond the list are counted at the end of the case.
    const turn = this.#turns[this.requests.length - 1] ?? { type: 'bad-request' };
    if (turn.type === 'hanging') this.#hang();
    return turn;
  }

  cutOff(): void {
    this.#cutOff();
  }
}
