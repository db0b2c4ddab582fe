import { counted } from '../../../core/internal/index.ts';
import type { RunOutcomeKind, RunOutcomeSummary } from '../../../record/index.ts';
import {
  firstOf,
  printable,
  printableLines,
  readableDuration,
  wrapColumns,
} from '../../process/plain-text.ts';
import type { TextStyle, TextTone } from '../../process/text-style.ts';
import type { Call } from '../calls/call.ts';
import { amountText, readableTokens, type Spending } from '../text/spending.ts';

/** What the first lines of a report are made of. */
export interface OutcomeBlock {
  readonly outcome: RunOutcomeSummary<Call>;
  /** What ran and on what: `release on my-app`. */
  readonly title: string;
  /** In place of the counts: what is said of a run that had ended already. */
  readonly instead?: string | undefined;
  readonly questions: number;
  readonly turns: number;
  readonly calls: number;
  readonly durationMs: number;
  readonly spending: Pick<Spending, 'usage' | 'cost'>;
  /** Further lines of the reason, safe to print. */
  readonly notes: readonly string[];
  /** Commands that the reader may type next, each with its name. */
  readonly next: readonly NextLine[];
}

/** A command to type: `Go on:  wink resume 9da2e640`. */
export interface NextLine {
  readonly name: string;
  readonly command: string;
}

const tones: Readonly<Record<RunOutcomeKind, TextTone>> = {
  running: 'place',
  finished: 'good',
  failed: 'bad',
  waiting: 'warning',
  interrupted: 'bad',
  conflict: 'bad',
  cancelled: 'bad',
};

const indent = '  ';
/** Lines of a message that are shown; all with `--full`. */
const maxMessageLines = 12;

/** The first lines of a report: the outcome, what and why, and what to type next. */
export function formatOutcome(
  block: OutcomeBlock,
  { width, style, isFull }: { readonly width: number; readonly style: TextStyle; readonly isFull: boolean },
): readonly string[] {
  const { outcome, next, notes } = block;
  const word = outcome.word.toUpperCase();
  const [first = '', ...more] = wrapColumns(
    `${word}  ${printable(block.title)}${block.instead ?? `: ${countsOf(block)}`}`,
    width,
  );
  const indented = (line: string): readonly string[] =>
    wrapColumns(line, width - indent.length).map((part) => `${indent}${part}`);
  // The questions of a run that waits are below, with the commands that answer them.
  const why = outcome.kind === 'waiting' ? [] : reasonLines(outcome, isFull);
  const reason = [...why, ...notes].flatMap(indented);
  const nameWidth = Math.max(0, ...next.map(({ name }) => name.length));
  return [
    `${style(tones[outcome.kind], word)}${first.slice(word.length)}`,
    ...more.flatMap((line) => wrapColumns(line, width - indent.length)).map((line) => `${indent}${line}`),
    ...(reason.length === 0 ? [] : ['', ...reason]),
    // A command is never broken: it is there to be copied.
    ...(next.length === 0 ? [] : ['']),
    ...next.map(({ name, command }) => `${indent}${`${name}:`.padEnd(nameWidth + 1)}  ${command}`),
  ];
}

function reasonLines(
  { sentence, message, code, phase }: RunOutcomeSummary<Call>,
  isFull: boolean,
): readonly string[] {
  const place = [...(code === undefined ? [] : [code]), ...(phase === undefined ? [] : [`phase ${phase}`])];
  const lines = message === undefined ? [] : printableLines(message).split('\n');
  return [
    ...(sentence === undefined ? [] : [printable(sentence)]),
    ...firstOf(
      lines,
      isFull ? lines.length : maxMessageLines,
      String,
      (rest) => `… ${counted(rest, 'more line')}; --full shows all`,
    ),
    ...(place.length === 0 ? [] : [printable(place.join(', '))]),
  ];
}

function countsOf({ questions, turns, calls, durationMs, spending }: OutcomeBlock): string {
  const { inputTokens, outputTokens } = spending.usage;
  const isCounted = inputTokens !== undefined || outputTokens !== undefined;
  return [
    ...(questions === 0 ? [] : [counted(questions, 'question')]),
    counted(turns, 'turn'),
    counted(calls, 'call'),
    readableDuration(durationMs),
    ...(isCounted ? [`${readableTokens((inputTokens ?? 0) + (outputTokens ?? 0))} tokens`] : []),
    ...(spending.cost === undefined || !isCounted ? [] : [`$${amountText(spending.cost)}`]),
  ].join(', ');
}
