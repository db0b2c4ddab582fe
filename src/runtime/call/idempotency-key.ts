import { hashOfText } from '../../prompt/index.ts';
import type { EvaluationEnvironment } from './environment.ts';
import type { ToolCall } from './tool-call.ts';

/**
 * A key that identifies a call everywhere: the same for every attempt at it, also after the run was resumed. 64 hexadecimal digits. Without a
 * journal no other run has the same keys.
 */
export function idempotencyKeyOf(
  {
    enclosing,
    hooks,
    origin,
    outer,
  }: Pick<EvaluationEnvironment, 'enclosing' | 'hooks' | 'origin' | 'outer'>,
  { callId, turn }: Pick<ToolCall, 'callId' | 'turn'>,
): string {
  const around =
    outer === undefined
      ? [hooks?.runId ?? origin.evaluationId]
      : [outer.idempotencyKey, enclosing.at(-1)?.evaluation ?? 0];
  return hashOfText(JSON.stringify([...around, turn, callId]));
}
