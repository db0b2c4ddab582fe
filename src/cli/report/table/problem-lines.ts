import {
  type EqualFailures,
  failureLine,
  failureWord,
  numbersText,
  turnsText,
} from '../../../record/index.ts';
import { columnsOf, pad, printable, wrapColumns } from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';
import type { Call } from '../calls/call.ts';
import { outsideEffects } from '../text/describe-call.ts';

/** Layout of the problems of a run. */
export interface ProblemLinesOptions {
  readonly width: number;
  /** How many are shown; the rest is counted. */
  readonly maxProblems: number;
  readonly style: TextStyle;
}

const indent = '  ';
const detailIndent = '      ';
/** Of a reason that is below what failed. */
const narrowIndent = '    ';
const columnGap = '    ';
const minReasonWidth = 30;

/**
 * The failures of a run that the table does not say all of: calls that failed more than once, and those that may have left something outside or had
 * reported steps. Each with its calls and turns. Empty without any.
 */
export function formatProblems(
  failures: readonly EqualFailures<Call>[],
  { width, maxProblems, style }: ProblemLinesOptions,
): readonly string[] {
  const named = new Set<string>();
  const problems = failures.filter(isProblem).map((failure): Problem => {
    const { first, calls } = failure;
    const isNew = !named.has(first.toolName);
    const details = detailsOf(failure, isNew);
    if (hasOutsideEffects(failure)) named.add(first.toolName);
    const times = calls.length === 1 ? '' : `${calls.length} x `;
    const reason = failureLine(first);
    const word = failureWord(first) ?? '';
    return {
      what: printable(`${times}${first.toolName} ${first.subject}`.trimEnd()),
      reason: printable(reason === '' ? word : `${word}: ${reason}`),
      details,
    };
  });
  if (problems.length === 0) return [];
  const shown = problems.slice(0, maxProblems);
  const whatWidth = Math.max(...shown.map(({ what }) => columnsOf(what)));
  const rest = problems.length - shown.length;
  return [
    style('heading', 'Problems'),
    ...shown.flatMap((problem) => linesOf(problem, whatWidth, width)),
    ...(rest > 0 ? [`${indent}… ${rest} more; --full shows all`] : []),
  ];
}

/** A problem as it is shown, safe to print. */
interface Problem {
  readonly what: string;
  readonly reason: string;
  readonly details: string;
}

function isProblem(failure: EqualFailures<Call>): boolean {
  return failure.calls.length > 1 || hasOutsideEffects(failure) || failure.last.steps.length > 0;
}

function hasOutsideEffects({ calls }: EqualFailures<Call>): boolean {
  return calls.some(({ residualEffects }) => residualEffects.includes(outsideEffects));
}

function detailsOf(failure: EqualFailures<Call>, isNew: boolean): string {
  const { calls, last } = failure;
  const numbers = numbersText(
    'call',
    calls.map(({ number }) => number),
  );
  const steps =
    last.steps.length === 0
      ? ''
      : ` It had reported: ${last.steps.map((step) => printable(step)).join(', ')}.`;
  const outside = hasOutsideEffects(failure) && isNew ? ' An external tool: what it did outside stays.' : '';
  return `${numbers} in ${turnsText(calls)}.${steps}${outside}`;
}

function linesOf({ what, reason, details }: Problem, whatWidth: number, width: number): readonly string[] {
  const taken = indent.length + whatWidth + columnGap.length;
  const isBeside = width - taken >= minReasonWidth;
  const first = isBeside
    ? wrapColumns(reason, width - taken).map((part, at) =>
        at === 0 ? `${indent}${pad(what, whatWidth)}${columnGap}${part}` : ' '.repeat(taken) + part,
      )
    : [
        ...wrapColumns(what, width - indent.length).map((part) => `${indent}${part}`),
        ...wrapColumns(reason, width - narrowIndent.length).map((part) => `${narrowIndent}${part}`),
      ];
  const below = wrapColumns(details, width - detailIndent.length).map((part) => `${detailIndent}${part}`);
  return [...first, ...below];
}
