import { describeError } from '../../error/index.ts';
import { none, present } from '../../internal/index.ts';
import type { Prompt, RenderedPrompt } from '../../prompt/index.ts';
import {
  type CallSettings,
  type EvaluationOrigin,
  type LoopState,
  type ModelTool,
  PromptEvaluationError,
  PromptExecuted,
  type PromptExecutedPayload,
  PromptRendered,
  type RecordOrigin,
  recordable,
  recordError,
} from '../../runtime/index.ts';
import { type JsonValue, jsonCopy } from '../../schema/index.ts';
import type { EventDefinition } from '../../session/index.ts';
import type { PromptPort, PromptResponse } from '../../tool/index.ts';
import type { HeldScope } from './evaluation-scope.ts';

/** Dispatches what is to be known of one evaluation as a whole. Nothing of it changes how the evaluation comes out. */
export class EvaluationRecord {
  /** What all session events of the evaluation have in common. */
  readonly origin: EvaluationOrigin;
  readonly #scope: HeldScope;
  readonly #calls: CallSettings;
  readonly #startedAtMs: number;
  #renderId: string | undefined;

  constructor(scope: HeldScope, { name }: PromptPort, calls: CallSettings) {
    const { evaluator, host, outer, earlier } = scope;
    const { attempt = 0, path = none } = outer?.call ?? {};
    const evaluation = outer?.evaluation ?? 0;
    const identity =
      outer === undefined
        ? {}
        : { key: `${outer.call.idempotencyKey}/${evaluation}`, reenters: outer.call.reenters };
    const recordedId = earlier?.evaluationId({ path, attempt, evaluation, ...identity });
    this.#scope = scope;
    this.#calls = calls;
    this.#startedAtMs = calls.clock.now();
    this.origin = {
      evaluationId: recordedId ?? this.#calls.ids(),
      promptName: name,
      adapter: evaluator.name,
      sessionId: host.id,
      ...present({ parentCallIds: outer?.call.path }),
    };
  }

  /** The prompt was rendered, and these are its tools. @param takenKinds the kinds of provider tools that the model takes. */
  rendered(
    { params }: Prompt,
    rendered: RenderedPrompt,
    tools: readonly ModelTool[],
    takenKinds: readonly string[] = none,
  ): void {
    const renderId = this.#calls.ids();
    this.#renderId = renderId;
    const atMs = this.#calls.clock.now();
    const { descriptor, text } = rendered;
    const kinds = rendered.providerTools.map(({ kind }) => kind).filter((kind) => takenKinds.includes(kind));
    this.#dispatch(PromptRendered, {
      eventId: renderId,
      ...this.origin,
      descriptor,
      params: Object.fromEntries(
        Object.entries(params).flatMap(([name, value]) => {
          const copy = jsonCopy(value);
          return copy === undefined ? [] : [[name, recordable(copy)]];
        }),
      ),
      text,
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      hostedTools: rendered.hostedTools.map(({ name }) => name),
      ...present({ providerTools: kinds.length === 0 ? undefined : kinds }),
      atMs,
    });
  }

  /** The evaluation has an answer. */
  finished({ text, usage, finishReason }: PromptResponse, json: JsonValue | undefined, turns: number): void {
    this.#executed({
      outcome: 'finished',
      text,
      ...present({ output: json === undefined ? undefined : recordable(json) }),
      finishReason,
      usage,
      turns,
    });
  }

  /** The calls of a loop that is not the library's are over: nothing is known of its answer. */
  closed({ usage, turn }: LoopState): void {
    this.#executed({ outcome: 'finished', usage, turns: turn });
  }

  /** The evaluation ended early. */
  failed(error: unknown, { usage, turn }: LoopState): void {
    const phase = PromptEvaluationError.isInstance(error) ? { phase: error.phase } : {};
    this.#executed({
      outcome: 'failed',
      error: { ...recordError(error), ...phase },
      usage,
      turns: turn,
    });
  }

  #executed(
    how: Omit<PromptExecutedPayload, keyof RecordOrigin | 'renderId' | 'startedAtMs' | 'durationMs'>,
  ): void {
    const startedAtMs = this.#startedAtMs;
    this.#dispatch(PromptExecuted, {
      eventId: this.#calls.ids(),
      ...this.origin,
      ...present({ renderId: this.#renderId }),
      ...how,
      startedAtMs,
      durationMs: this.#calls.clock.now() - startedAtMs,
    });
  }

  #dispatch<Payload extends object>(event: EventDefinition<Payload, Payload>, payload: Payload): void {
    const { sessionRoot, redactor, outer } = this.#scope;
    // The outer call was aborted, or has ended without waiting: there is nothing to write to any more.
    if (outer !== undefined && !outer.call.isOpen) return;
    try {
      sessionRoot.dispatch(event, redactor?.record(payload) ?? payload);
    } catch (error) {
      this.#calls.logger.error('An event of an evaluation could not be recorded.', {
        event: event.name,
        error: describeError(error),
      });
    }
  }
}
