import type { RunEvent } from '../../runtime/index.ts';
import type { Plan } from '../../suite/index.ts';
import { formatPlanStep } from '../../suite/internal.ts';
import type { OutputStream } from '../process/environment.ts';
import { printable } from '../process/plain-text.ts';
import { CallLog, type LocatedEvent } from './call-log.ts';
import { newsOf, placeOf, requestedCallsText } from './describe-call.ts';
import { liveProgress } from './live-progress.ts';
import type { Progress, ProgressOptions } from './progress.ts';

/**
 * One line that is rewritten on a terminal, under the plan and over the end of what the model writes; a line per turn, step and piece of
 * news everywhere else, and beside log lines, which a line that is rewritten would be in the way of.
 */
export function createProgress(
  stream: OutputStream,
  {
    clean = (text) => text,
    now,
    calls = new CallLog(clean, now),
    style = (_tone, text) => text,
    isVerbose = false,
    ...options
  }: ProgressOptions,
): Progress {
  return stream.isTerminal && !isVerbose
    ? liveProgress(stream, { ...options, now, calls, clean, style })
    : plainProgress(stream, { calls, clean, isVerbose });
}

/**
 * A line per turn, changed step of the plan and piece of news, for an output that is no terminal. With `isVerbose` the lines that the
 * run's own model writes, too, as it writes them.
 */
function plainProgress(
  stream: OutputStream,
  { calls, clean, isVerbose }: Required<Pick<ProgressOptions, 'calls' | 'clean' | 'isVerbose'>>,
): Progress {
  let known: Plan | undefined;
  let writing = '';
  let unfinished = '';
  const writeLine = (line: string): void => stream.write(`${writing} | ${printable(line)}\n`);
  /** Writes what was held back of a line. */
  const finish = (): void => {
    if (unfinished !== '') writeLine(unfinished);
    unfinished = '';
  };
  const hear = ({ event, around, turn }: LocatedEvent): void => {
    if (around.length > 0 || (event.type !== 'text-delta' && event.type !== 'reasoning-delta'))
      return finish();
    const place = `turn ${turn}, ${event.type === 'text-delta' ? 'text' : 'thoughts'}`;
    if (place !== writing) finish();
    writing = place;
    const lines = (unfinished + event.text).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') writeLine(line);
  };
  return {
    showsText: isVerbose,
    observe: (event: RunEvent, plan) => {
      const sighting = calls.observe(event);
      if (isVerbose) hear(sighting);
      if (plan !== undefined && plan !== known) {
        for (const line of planNews(plan, known)) stream.write(`plan: ${printable(line)}\n`);
        known = plan;
      }
      const line = newsOf(sighting, clean) ?? askedLine(sighting);
      if (line !== undefined) stream.write(`${line}\n`);
    },
    hold: () => () => undefined,
    end: () => undefined,
  };
}

function askedLine(sighting: LocatedEvent): string | undefined {
  const { event, around } = sighting;
  if (event.type !== 'model-call-end' || event.toolCalls.length === 0) return undefined;
  const inside = around.at(-1);
  const who = inside === undefined ? '' : `inside ${printable(inside.toolName)} `;
  return `${placeOf(sighting)}: ${who}${requestedCallsText(event)}`;
}

function planNews(plan: Plan, known: Plan | undefined): readonly string[] {
  const isNew = known === undefined || known.objective !== plan.objective;
  const before = new Set(isNew ? [] : known.steps.map(formatPlanStep));
  const changed = plan.steps.map(formatPlanStep).filter((line) => !before.has(line));
  return isNew ? [plan.objective, ...changed] : changed;
}
