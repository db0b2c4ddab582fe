import {
  allLines,
  allValues,
  briefText,
  briefValues,
  type ShownLines,
} from '../../../core/internal/index.ts';
import type { ApprovalHandler, ApprovalRequest } from '../../../core/runtime/index.ts';
import type { JsonValue } from '../../../core/schema/index.ts';
import type { AskPerson } from '../../process/environment.ts';
import { printable } from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';
import { shownChangeDiff } from '../text/change-diff.ts';

/** How questions are shown. */
export interface TerminalApproval {
  readonly ask: AskPerson;
  /** Removes output that would interfere with a question, until the returned function is called. */
  readonly hold: () => () => void;
  readonly style: TextStyle;
  /** Shows all of the arguments and of the diff at once. */
  readonly isFull: boolean;
}

const maxDiffLines = 40;

/** Replaces the name of a policy where the provider requests approval for a tool. */
const providerPolicy = 'provider';

/**
 * Asks the user at the terminal for each approval that a policy or a provider requires, one at a time. The question shows
 * tool, params, policy and reason, and the diff where changes are to be approved; for a tool run by the provider its name
 * and arguments. Of what is long it shows the beginning and the end, and all of it after `?`. Only `y` or `yes` approves.
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
    let shown = questionOf(request, style, isFull);
    for (;;) {
      const prompt = shown.isCut ? 'Allow it? [y/N, ? shows all of it] ' : 'Allow it? [y/N] ';
      const answer = (await ask([...shown.lines, prompt].join('\n'), { signal })).trim().toLowerCase();
      if (answer !== '?') {
        return answer === 'y' || answer === 'yes'
          ? { approved: true }
          : { approved: false, reason: 'the user at the terminal declined.' };
      }
      shown = questionOf(request, style, true);
    }
  } finally {
    release();
  }
}

/** What is asked: beginning and end of each value, or all of it. */
function questionOf(request: ApprovalRequest, style: TextStyle, isFull: boolean): ShownLines {
  const { toolName, params, path, policy, reason, changes } = request;
  const remote = policy === providerPolicy ? remoteCall(params) : undefined;
  if (remote !== undefined) {
    const name = isFull ? { text: printable(remote.name), isCut: false } : briefText(remote.name);
    const given = valuesOf(remote.arguments, isFull);
    return {
      lines: [
        style('warning', `The provider wants to run ${name.text} of ${printable(toolName)}.`),
        '  It runs outside of policies and transactions and cannot be rolled back.',
        ...given.lines.map(indented),
      ],
      isCut: name.isCut || given.isCut,
    };
  }
  const what = changes === undefined ? 'wants to run' : 'has run and wants to commit its changes';
  const given = valuesOf(params, isFull);
  const maxLines = isFull ? Number.POSITIVE_INFINITY : maxDiffLines;
  const diff = shownChangeDiff(changes ?? [], { maxLines, style, isQuestion: true, rest: '? shows all' });
  return {
    lines: [
      style(
        'warning',
        `${printable(toolName)} ${what}: the policy "${printable(policy)}" asks for approval.`,
      ),
      ...placeLines(path),
      ...allLines(reason).map(indented),
      ...given.lines.map(indented),
      ...diff.lines,
    ],
    isCut: given.isCut || diff.isCut,
  };
}

function valuesOf(params: JsonValue, isFull: boolean): ShownLines {
  return isFull ? { lines: allValues(params), isCut: false } : briefValues(params);
}

function indented(line: string): string {
  return `  ${line}`;
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
