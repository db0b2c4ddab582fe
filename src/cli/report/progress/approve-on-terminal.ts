import { clip, counted, startOf } from '../../../core/internal/index.ts';
import type { ApprovalHandler, ApprovalRequest } from '../../../core/runtime/index.ts';
import type { JsonValue } from '../../../core/schema/index.ts';
import type { AskPerson } from '../../process/environment.ts';
import { printable, printableLines } from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';
import { formatChangeDiff } from '../text/change-diff.ts';

/** How questions are shown. */
export interface TerminalApproval {
  readonly ask: AskPerson;
  /** Removes output that would interfere with a question, until the returned function is called. */
  readonly hold: () => () => void;
  readonly style: TextStyle;
  /** Shows the whole diff of changes. */
  readonly isFull: boolean;
}

const maxDiffLines = 40;
const maxParams = 8;
const maxParamCharacters = 100;

/** Replaces the name of a policy where the provider requests approval for a tool. */
const providerPolicy = 'provider';

/**
 * Asks the user at the terminal for each approval that a policy or a provider requires, one at a time. The question shows
 * tool, params, policy and reason, and the diff where changes are to be approved; for a tool run by the provider its name
 * and arguments. Only `y` or `yes` approves.
 */
export function approveOnTerminal(terminal: TerminalApproval): ApprovalHandler {
  let last: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    // Calls of one turn may ask at the same time; questions are shown one after another.
    const answered = last.then(() => askOne(request, signal, terminal));
    last = answered.catch(() => undefined);
    return answered;
  };
}

/** Denies every request, because no approver is available. @param why ends the reason. */
export function denyApprovals(why: string): ApprovalHandler {
  return () => ({ approved: false, reason: `no approver is available: ${why}` });
}

async function askOne(
  request: ApprovalRequest,
  signal: AbortSignal,
  { ask, hold, style, isFull }: TerminalApproval,
): Promise<{ readonly approved: boolean; readonly reason?: string }> {
  signal.throwIfAborted();
  const release = hold();
  try {
    const maxLines = isFull ? Number.POSITIVE_INFINITY : maxDiffLines;
    const text = [...questionLines(request, style, maxLines), 'Allow it? [y/N] '].join('\n');
    const answer = (await ask(text, { signal })).trim().toLowerCase();
    return answer === 'y' || answer === 'yes'
      ? { approved: true }
      : { approved: false, reason: 'the user at the terminal declined.' };
  } finally {
    release();
  }
}

function questionLines(request: ApprovalRequest, style: TextStyle, maxLines: number): readonly string[] {
  const { toolName, params, path, policy, reason, changes } = request;
  const remote = policy === providerPolicy ? remoteCall(params) : undefined;
  if (remote !== undefined) {
    const what = `${clip(printable(remote.name), maxParamCharacters)} of ${printable(toolName)}`;
    return [
      style('warning', `The provider wants to run ${what}.`),
      '  It runs outside of policies and transactions and cannot be rolled back.',
      ...paramLines(remote.arguments),
    ];
  }
  const what = changes === undefined ? 'wants to run' : 'has run and wants to commit its changes';
  return [
    style('warning', `${printable(toolName)} ${what}: the policy "${printable(policy)}" asks for approval.`),
    ...placeLines(path),
    ...printableLines(reason)
      .split('\n')
      .map((line) => `  ${line}`),
    ...paramLines(params),
    ...(changes === undefined ? [] : formatChangeDiff(changes, { maxLines, style })),
  ];
}

/** The location of a call made by the model of an inner evaluation. */
function placeLines(path: ApprovalRequest['path']): readonly string[] {
  const innermost = path.at(-1);
  if (innermost === undefined) return [];
  const calls = path.map(({ toolName }) => printable(toolName)).join(' > ');
  return [`  It is part of the call of ${calls}, in the prompt ${printable(innermost.promptName)}.`];
}

function remoteCall(params: JsonValue): { readonly name: string; readonly arguments: JsonValue } | undefined {
  if (typeof params !== 'object' || params === null || !('name' in params)) return undefined;
  const { name, arguments: given = {} } = params;
  return typeof name === 'string' ? { name, arguments: given } : undefined;
}

function paramLines(params: JsonValue): readonly string[] {
  const entries =
    typeof params === 'object' && params !== null ? Object.entries(params) : [['params', params] as const];
  const rest = entries.length - maxParams;
  return [
    ...entries
      .slice(0, maxParams)
      .map(([name, value]) => `  ${clip(printable(name), maxParamCharacters)}: ${shortValue(value)}`),
    ...(rest > 0 ? [`  … ${counted(rest, 'more param')}`] : []),
  ];
}

function shortValue(value: JsonValue | undefined): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const shown = clip(printable(startOf(text, maxParamCharacters * 2)), maxParamCharacters);
  return text.length > maxParamCharacters ? `${shown} (${counted(text.length, 'character')})` : shown;
}
