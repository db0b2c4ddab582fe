import type { RunEvent } from '../../../core/runtime/index.ts';
import { formatPlanStep, type Plan } from '../../../suite/planning/index.ts';
import type { OutputStream } from '../../process/environment.ts';
import { printable, printableProse } from '../../process/plain-text.ts';
import type { CallLog, LocatedEvent } from '../calls/call-log.ts';
import { newsOf, placeOf, requestedCallsText } from '../text/describe-call.ts';
import type { Progress } from './progress.ts';

/**
 * One line per turn, changed step of the plan and report, and the text of the run's own model, as it is written. Together with log lines, which rewritten
 * lines would garble.
 */
export function verboseProgress(
  stream: OutputStream,
  calls: CallLog,
  clean: (text: string) => string,
): Progress {
  let known: Plan | undefined;
  let writing = '';
  let unfinished = '';
  /** Whether lines of the answer that is being written are there. */
  let hasLines = false;
  const writeLine = (line: string): void => {
    hasLines = true;
    stream.write(`${writing} | ${printableProse(line)}\n`);
  };
  /** Writes the pending part of a line. */
  const finish = (): void => {
    if (unfinished !== '') writeLine(unfinished);
    unfinished = '';
  };
  const writeDelta = ({ event, outerCalls, turn }: LocatedEvent): void => {
    if (outerCalls.length === 0 && event.type === 'model-call-start') hasLines = false;
    if (outerCalls.length > 0 || (event.type !== 'text-delta' && event.type !== 'reasoning-delta'))
      return finish();
    const place = `turn ${turn}, ${event.type === 'text-delta' ? 'text' : 'thoughts'}`;
    if (place !== writing) finish();
    writing = place;
    const lines = (unfinished + event.text).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') writeLine(line);
  };
  /** Forgets what is void. @returns whether lines of it are there, which cannot be taken back. */
  const takeBack = ({ event, outerCalls }: LocatedEvent): boolean => {
    if (outerCalls.length > 0 || !isVoiding(event)) return false;
    const isThere = hasLines;
    unfinished = '';
    hasLines = false;
    return isThere;
  };
  return {
    showsText: true,
    observe: (event: RunEvent, plan) => {
      const sighting = calls.observe(event);
      const isVoid = takeBack(sighting);
      writeDelta(sighting);
      if (plan !== undefined && plan !== known) {
        for (const line of planNews(plan, known)) stream.write(`plan: ${printable(line)}\n`);
        known = plan;
      }
      for (const line of [newsOf(sighting, clean), askedLine(sighting)]) {
        if (line !== undefined) stream.write(`${line}\n`);
      }
      if (isVoid) stream.write(`${placeOf(sighting)}: what it wrote of this answer is void\n`);
    },
    hold: () => () => undefined,
    end: () => undefined,
  };
}

/** Whether what was written of an answer is void. */
function isVoiding({ type }: RunEvent): boolean {
  return voiding.has(type);
}

const voiding: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'model-call-retry',
  'model-changed',
  'answer-restarted',
  'tool-results-dropped',
]);

function askedLine(sighting: LocatedEvent): string | undefined {
  const { event, outerCalls } = sighting;
  if (event.type !== 'model-call-end' || event.toolCalls.length === 0) return undefined;
  const outer = outerCalls.at(-1);
  const who = outer === undefined ? '' : `inside ${printable(outer.toolName)} `;
  return `${placeOf(sighting)}: ${who}${requestedCallsText(event)}`;
}

function planNews(plan: Plan, known: Plan | undefined): readonly string[] {
  const isNew = known === undefined || known.objective !== plan.objective;
  const before = new Set(isNew ? [] : known.steps.map(formatPlanStep));
  const changed = plan.steps.map(formatPlanStep).filter((line) => !before.has(line));
  return isNew ? [plan.objective, ...changed] : changed;
}
