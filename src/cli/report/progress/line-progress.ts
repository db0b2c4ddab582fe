import { cutLine } from '../../../core/internal/index.ts';
import type { RunEvent } from '../../../core/runtime/index.ts';
import type { CliEnvironment, OutputStream } from '../../process/environment.ts';
import { printable } from '../../process/plain-text.ts';
import type { Call } from '../calls/call.ts';
import type { LocatedEvent } from '../calls/call-log.ts';
import { newsText, placeOf } from '../text/describe-call.ts';
import { amountText, readableTokens } from '../text/spending.ts';
import type { Progress } from './progress.ts';
import { failedCall, type RunStatus, subjectOf, wholeSecondsText } from './run-status.ts';

/** Lines about the run and its calls, the first one included; signs of life come besides. */
const maxLines = 20;
/** Maximum characters of the reason of a question. */
const maxReason = 100;
const minuteMs = 60_000;
/** After so many minutes there is a sign of life, and then each half hour. */
const signMinutes: readonly number[] = [1, 2, 5, 10, 20, 30];
const laterMinutes = 30;
/** How long a question waits before there is a line about it: an answer of a program comes at once. */
const questionMs = 1_000;

interface LineOptions {
  readonly now: () => number;
  readonly after: CliEnvironment['after'];
  readonly clean: (text: string) => string;
}

/**
 * Lines for a log that is read later: how the run begins, which calls were asked about or not committed, and signs of life that become rare. How long it
 * works and how much of it fails, there are at most {@link maxLines} of the first, six of the others, and two an hour.
 */
export function lineProgress(
  stream: OutputStream,
  status: RunStatus,
  { now, after, clean }: LineOptions,
): Progress {
  const counts = new Map<string, number>();
  /** Timers of questions without an answer. */
  const questions = new Map<Call, () => void>();
  let written = 0;
  let last = '';
  let cancelSign = (): void => undefined;
  let signs = 0;
  let isBegun = false;

  const write = (text: string): void => stream.write(`wink: ${text}\n`);
  /** Writes one of the lines that are limited; the last of them says that there are no more. */
  const say = (text: string, key: string): void => {
    if (written >= maxLines) return;
    written += 1;
    last = key;
    write(written < maxLines ? text : 'no more lines about calls; the report has them all');
  };
  /** The first line. */
  const begin = (): void => {
    if (written > 0) return;
    const { title, modelName } = status.run;
    say(`${printable(title)} with ${printable(modelName)}`, '');
  };
  const sign = (): void => {
    begin();
    write(signText(status, now()));
    scheduleSign();
  };
  const scheduleSign = (): void => {
    const elapsedMs = status.elapsedMs;
    // After a sleep of the machine one sign is enough.
    while (signAfterMs(signs) <= elapsedMs) signs += 1;
    cancelSign = after(signAfterMs(signs) - elapsedMs, sign);
  };
  /** A line about a call: whole the first time, and `short` for the second, the fourth, the eighth of its kind. */
  const sayOf = (sighting: LocatedEvent, text: string, short: string): void => {
    begin();
    const count = (counts.get(text) ?? 0) + 1;
    if (count === 1 && written >= maxLines) return;
    counts.set(text, count);
    const isPowerOfTwo = (count & (count - 1)) === 0;
    if (!isPowerOfTwo) return;
    const again = last === text ? 'the same again' : `${short} again`;
    say(`${placeOf(sighting)}: ${count === 1 ? text : `${again} (${count} times)`}`, text);
  };
  const sayAsked = (sighting: LocatedEvent, call: Call, event: Asked): void => {
    const asked = `${subjectOf(call)} asked by ${printable(event.policy)}`;
    sayOf(
      sighting,
      `${asked}: ${printable(cutLine(clean(event.reason).split('\n', 1)[0] ?? '', maxReason))}`,
      asked,
    );
  };
  const answered = (call: Call | undefined): void => {
    if (call === undefined) return;
    questions.get(call)?.();
    questions.delete(call);
  };
  const follow = (sighting: LocatedEvent): void => {
    const { event, call, turn } = sighting;
    switch (event.type) {
      case 'approval-pending':
        if (call !== undefined) sayAsked(sighting, call, event);
        return;
      case 'approval-start':
        if (call === undefined) return;
        answered(call);
        questions.set(
          call,
          after(questionMs, () => sayAsked(sighting, call, event)),
        );
        return;
      case 'approval-end':
        answered(call);
        return;
      case 'tool-call-end': {
        answered(call);
        const failed = call === undefined ? undefined : failedCall(call, turn, clean);
        if (failed === undefined) return;
        const { subject, word, rest } = failed;
        sayOf(sighting, `${subject} ${word}${rest}`, `${subject} ${word}`);
        return;
      }
      case 'hosted-approval-answered':
      case 'model-changed':
      case 'input-taken':
      case 'policy-unenforced':
      case 'run-resumed': {
        if (event.type === 'hosted-approval-answered' && event.approved) return;
        const news = newsText(sighting, clean);
        if (news !== undefined) sayOf(sighting, news, news);
        return;
      }
      default:
    }
  };
  return {
    showsText: false,
    observe: (event, plan) => {
      const sighting = status.observe(event, plan);
      if (!isBegun) {
        isBegun = true;
        scheduleSign();
      }
      // A model that cannot be asked at all is refused with one line, and this would be another.
      if (event.type.startsWith('tool-call-') || modelSigns.has(event.type)) begin();
      follow(sighting);
    },
    hold: () => () => undefined,
    end: () => {
      cancelSign();
      for (const cancel of questions.values()) cancel();
    },
  };
}

/** Events by which a model is known to answer. */
const modelSigns: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'text-delta',
  'reasoning-delta',
  'model-call-retry',
  'model-changed',
  'model-call-end',
]);

type Asked = Extract<RunEvent, { readonly type: 'approval-start' | 'approval-pending' }>;

/** When there is a sign of life, by the number of those before it. */
function signAfterMs(signs: number): number {
  return (signMinutes[signs] ?? laterMinutes * (signs - signMinutes.length + 2)) * minuteMs;
}

/** `5 min, turn 5 of 20, 12.1k tokens, $0.02, running: deploy target=prod 31 s`. */
function signText({ asking, elapsedMs, run, running, turn }: RunStatus, nowMs: number): string {
  const { usage, cost } = run.spending();
  const { inputTokens, outputTokens } = usage;
  const isCounted = inputTokens !== undefined || outputTokens !== undefined;
  const [longest] = running;
  const more = running.length > 1 ? ` and ${running.length - 1} more` : '';
  const work =
    longest === undefined
      ? asking
      : `running: ${`${longest.toolName} ${longest.args}`.trimEnd()} ${wholeSecondsText(nowMs - longest.sinceMs)}${more}`;
  return [
    minutesText(elapsedMs),
    `turn ${turn}${run.maxTurns === undefined ? '' : ` of ${run.maxTurns}`}`,
    ...(isCounted ? [`${readableTokens((inputTokens ?? 0) + (outputTokens ?? 0))} tokens`] : []),
    ...(isCounted && cost !== undefined ? [`$${amountText(cost)}`] : []),
    ...(work === undefined ? [] : [work]),
  ].join(', ');
}

/** `5 min`, `1 h`, `1 h 30 min`. */
function minutesText(milliseconds: number): string {
  const all = Math.floor(milliseconds / minuteMs);
  const [hours, minutes] = [Math.floor(all / 60), all % 60];
  if (hours === 0) return `${minutes} min`;
  return `${hours} h${minutes === 0 ? '' : ` ${minutes} min`}`;
}
