import { isRecord, present, readUnrounded } from '../../../core/internal/index.ts';
import type { HostedToolOutput } from '../../../core/tool/index.ts';
import { type HostedTurn, objectsIn, parseJsonText, type WireFields } from '../../kit/index.ts';

/** One invocation of a hosted tool. When the model pauses during it, the call is in one turn and the result in the next. */
export interface HostedInvocation {
  readonly id: string;
  readonly toolName: string;
  /** The arguments; empty when the call is in another turn. */
  readonly input: WireFields;
  /** The result; undefined when it is not in this turn. */
  readonly result: unknown;
  /** The fields of the result; empty when it has none. */
  readonly fields: WireFields;
  readonly isDone: boolean;
  readonly isError: boolean;
  /** The parts of the answer that belong to it. */
  readonly parts: readonly WireFields[];
}

/** The invocations in an answer, in order. A call that waits for approval is not included. */
export function invocationsOf(
  { items }: HostedTurn,
  tool: string | ((toolName: string) => boolean),
): readonly HostedInvocation[] {
  const isTool = typeof tool === 'string' ? (toolName: string) => toolName === tool : tool;
  const pieces = objectsIn(items);
  const waiting = new Set(
    pieces.filter(({ type }) => type === 'tool-approval-request').map(({ toolCallId }) => toolCallId),
  );
  const runs: WireFields[][] = [];
  const latest = new Map<string, WireFields[]>();
  for (const piece of pieces) {
    const { type, toolCallId, toolName, providerExecuted } = piece;
    const isCall = type === 'tool-call' && providerExecuted === true;
    if (!isCall && type !== 'tool-result') continue;
    if (typeof toolCallId !== 'string' || typeof toolName !== 'string' || !isTool(toolName)) continue;
    const begun = latest.get(toolCallId);
    // A result belongs to the last call with its id.
    if (begun !== undefined && !isCall && !begun.some(isResult)) begun.push(piece);
    else {
      const run = [piece];
      latest.set(toolCallId, run);
      runs.push(run);
    }
  }
  return runs.map(toInvocation).filter(({ id, isDone }) => isDone || !waiting.has(id));
}

function isResult({ type }: WireFields): boolean {
  return type === 'tool-result';
}

function toInvocation(parts: readonly WireFields[]): HostedInvocation {
  const call = parts.find(({ type }) => type === 'tool-call');
  const result = parts.find(isResult);
  const part = call ?? result;
  const input = parseJsonText(call?.['input'], readUnrounded);
  const value = result?.['result'];
  return {
    id: String(part?.['toolCallId']),
    toolName: String(part?.['toolName']),
    input: isRecord(input) ? input : {},
    result: value,
    fields: isRecord(value) ? value : {},
    isDone: result !== undefined,
    isError: result?.['isError'] === true,
    parts,
  };
}

/** The common fields of an invocation. Failures are part of the result, in slightly different forms. */
export function toOutput({ fields, id, isDone, isError }: HostedInvocation): HostedToolOutput {
  const failed = isError || (typeof fields['type'] === 'string' && fields['type'].endsWith('_error'));
  const errorCode = [fields['errorCode'], fields['error_code']].find((code) => typeof code === 'string');
  return {
    status: isDone ? (failed ? 'failed' : 'completed') : 'incomplete',
    ...present({ errorCode: failed && typeof errorCode === 'string' ? errorCode : undefined }),
    invocationId: id,
  };
}
