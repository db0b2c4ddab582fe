import type { SpanMessages } from './content.ts';
import type { OtelContext, OtelSpan } from './otel-api.ts';
import type { AgentFacts } from './run-facts.ts';

/** A span that has not ended, with the context of what happens below it. */
export interface OpenSpan {
  readonly span: OtelSpan;
  readonly context: OtelContext;
}

/** A model call that has not ended. */
export interface OpenChat extends OpenSpan {
  readonly startedAtMs: number;
}

/** A tool call that has not ended. */
export interface OpenCallSpan extends OpenSpan {
  /** Has the call in it, so that evaluations inside find it whatever else has the same id. */
  context: OtelContext;
  readonly turn: number;
  readonly callId: string;
  /** Undefined for a tool that the prompt does not have: the model made the name up. */
  readonly knownName: string | undefined;
  /** The evaluations inside it that have not ended. */
  readonly inner: Set<RunSpans>;
  /** Since when the call waits for the answer about it. */
  askedAtMs?: number;
  hasEnded: boolean;
}

/** What one evaluation has open, and what is counted in it. */
export interface RunSpans extends OpenSpan {
  readonly evaluationId: string;
  readonly path: readonly string[];
  readonly promptName: string;
  readonly startedAtMs: number;
  /** The call that it runs inside of, where that is observed too. */
  readonly outer: OpenCallSpan | undefined;
  /** True when the end of the work ends the span, not the last event. */
  readonly isScoped: boolean;
  readonly steps: Map<number, OpenSpan>;
  readonly chats: Map<number, OpenChat>;
  /** By turn and id. */
  readonly calls: Map<string, OpenCallSpan>;
  /** Where it is among the evaluations of its root run; set by its first event. */
  place: string | undefined;
  readonly counts: { modelCalls: number; toolCalls: number; committed: number; reruns: number };
  /** Undefined: spans of the run hold no content. */
  readonly messages: SpanMessages | undefined;
  /** The tools of the last request as JSON: they are the same objects in the next one while nothing changed. */
  toolDefinitions:
    | {
        readonly tools: unknown;
        readonly hostedTools: unknown;
        readonly json: string;
        readonly descriptions: ReadonlyMap<string, string>;
      }
    | undefined;
  facts: AgentFacts | undefined;
  /** Of the last answer. */
  finishReason: string | undefined;
  /** Why the next model call is made, where it is not the task itself. */
  purpose: string | undefined;
  /** The conversation lost a part since the last model call. */
  isCompacted: boolean;
  /** What the last event said. */
  ending:
    | {
        readonly turns: number;
        readonly outcome: 'finished' | 'failed' | 'suspended';
        readonly errorType?: string;
      }
    | undefined;
}

/** Names a call among those of a run: providers may use an id again in a later turn. */
export function callKey(turn: number, callId: string): string {
  return `${turn}/${callId}`;
}

/** The run is with the model of this name, which takes over the model call of a turn. */
export function changeModel(run: RunSpans, turn: number, name: string | undefined): void {
  const { facts } = run;
  const model = name === undefined ? undefined : facts?.models.get(name);
  if (facts === undefined || model === undefined || model === facts.asked) return;
  facts.asked = model;
  const span = run.chats.get(turn)?.span;
  span?.updateName(`chat ${model.model}`);
  span?.setAttributes(model.modelAttributes);
}
