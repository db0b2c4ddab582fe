import type { ToolCall } from './tool-call.ts';

/** What of an evaluation identifies its calls. */
interface IdentifyingEvaluation {
  readonly hooks?: { readonly runId?: string } | undefined;
  readonly origin: { readonly evaluationId: string };
  readonly outer: { readonly idempotencyKey: string } | undefined;
  readonly outerCalls: readonly { readonly evaluation: number }[];
}

/**
 * A text that identifies a call: run, turn and id, for a call inside another one after those of that one. The same for every attempt, also after
 * the run was resumed.
 */
export function idempotencyKeyOf(
  { outerCalls, hooks, origin, outer }: IdentifyingEvaluation,
  { callId, turn }: Pick<ToolCall, 'callId' | 'turn'>,
): string {
  const outerKey =
    outer === undefined
      ? encodeURIComponent(hooks?.runId ?? origin.evaluationId)
      : `${outer.idempotencyKey}/${outerCalls.at(-1)?.evaluation ?? 0}`;
  return `${outerKey}/${turn}/${encodeURIComponent(callId)}`;
}
