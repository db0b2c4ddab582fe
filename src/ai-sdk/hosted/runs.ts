import { isRecord } from '../../internal/index.ts';
import { type Fields, type HostedTurn, objectsIn, parseJsonText } from '../../provider/internal.ts';
import type { HostedToolOutput } from '../../tool/index.ts';

/** One run of a hosted tool. Where the model paused in the middle of it, the call is in one turn and the result in the next. */
export interface HostedRun {
  readonly id: string;
  readonly toolName: string;
  /** What the model asked for; no fields when that is in another turn. */
  readonly input: Fields;
  /** Its result; undefined when there is none yet. */
  readonly result: unknown;
  readonly isDone: boolean;
  readonly isError: boolean;
  /** The parts of the answer about it. */
  readonly parts: readonly Fields[];
}

/** The runs in an answer, in their order. What only waits for approval is none. */
export function runsOf({ items }: HostedTurn, isMeant: (toolName: string) => boolean): readonly HostedRun[] {
  const pieces = objectsIn(items);
  const waiting = new Set(
    pieces.filter(({ type }) => type === 'tool-approval-request').map(({ toolCallId }) => toolCallId),
  );
  const runs: Fields[][] = [];
  const latest = new Map<string, Fields[]>();
  for (const piece of pieces) {
    const { type, toolCallId, toolName, providerExecuted } = piece;
    const isCall = type === 'tool-call' && providerExecuted === true;
    if (!isCall && type !== 'tool-result') continue;
    if (typeof toolCallId !== 'string' || typeof toolName !== 'string' || !isMeant(toolName)) continue;
    const begun = latest.get(toolCallId);
    // A result belongs to the last call with its id.
    if (begun !== undefined && !isCall && !begun.some(isResult)) begun.push(piece);
    else {
      const run = [piece];
      latest.set(toolCallId, run);
      runs.push(run);
    }
  }
  return runs.map(toRun).filter(({ id, isDone }) => isDone || !waiting.has(id));
}

function isResult({ type }: Fields): boolean {
  return type === 'tool-result';
}

function toRun(parts: readonly Fields[]): HostedRun {
  const call = parts.find(({ type }) => type === 'tool-call');
  const result = parts.find(isResult);
  const part = call ?? result;
  const input = parseJsonText(call?.['input']);
  return {
    id: String(part?.['toolCallId']),
    toolName: String(part?.['toolName']),
    input: isRecord(input) ? input : {},
    result: result?.['result'],
    isDone: result !== undefined,
    isError: result?.['isError'] === true,
    parts,
  };
}

/** The common fields of a run. Failures are part of the result, in slightly different forms. */
export function toOutput({ id, isDone, isError, result }: HostedRun): HostedToolOutput {
  const fields = isRecord(result) ? result : {};
  const failed = isError || (typeof fields['type'] === 'string' && fields['type'].endsWith('_error'));
  const errorCode = [fields['errorCode'], fields['error_code']].find((code) => typeof code === 'string');
  return {
    status: isDone ? (failed ? 'failed' : 'completed') : 'incomplete',
    ...(failed && typeof errorCode === 'string' ? { errorCode } : {}),
    invocationId: id,
  };
}
