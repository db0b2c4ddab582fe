import { formatPlan, type Plan } from '../suite/index.ts';
import { callSubject } from './call-record.ts';
import { CallTracker, type Sighting } from './call-tracker.ts';
import type { OutputStream } from './environment.ts';
import { counted, printable } from './plain-text.ts';
import type { Progress, ProgressOptions } from './progress.ts';
import { newsOf, placeOf } from './progress-words.ts';
import { clipColumns } from './terminal-columns.ts';
import { WrittenText } from './written-text.ts';

/** Milliseconds between two changes of the line. */
const REFRESH_MS = 80;
/** Lines of a plan that are shown above the line. */
const MAX_PLAN_LINES = 12;
/** Lines of what the model writes that are shown below it. */
const MAX_TEXT_LINES = 3;
const INDENT = '  ';

/** One line that is rewritten, under the plan if there is one, over the end of what the model writes. */
export function liveProgress(
  stream: OutputStream,
  { now, clean, style }: Required<Pick<ProgressOptions, 'now' | 'clean' | 'style'>>,
): Progress {
  const tracker = new CallTracker();
  const written = new WrittenText();
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let shownLines = 0;
  let shownPlan: Plan | undefined;
  let status = '';
  let holds = 0;
  const erase = (): string =>
    shownLines === 0 ? '' : `\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(shownLines - 1)}`;
  const show = (plan: Plan | undefined): void => {
    if (holds > 0) return;
    // A wide character at the end of a line takes the last column, too.
    const width = Math.max(1, (stream.columns ?? 80) - 1);
    const lines = [
      ...[...(plan === undefined ? [] : planLines(plan)), status].map((line) =>
        clipColumns(printable(line), width),
      ),
      ...written
        .lastLines(MAX_TEXT_LINES, Math.max(1, width - INDENT.length))
        .map((line) => style('faint', INDENT + line)),
    ];
    stream.write(`${shownLines === 0 ? '\r\u001b[2K' : erase()}${lines.join('\n')}`);
    shownLines = lines.length;
    shownAtMs = now();
    shownPlan = plan;
  };
  /** Hears what the run's own model writes; those inside calls may write at the same time. */
  const hear = (sighting: Sighting): string | undefined => {
    const { event, around } = sighting;
    if (around.length > 0 || (event.type !== 'text-delta' && event.type !== 'reasoning-delta'))
      return undefined;
    const doing = `${placeOf(sighting)}: the model ${event.type === 'text-delta' ? 'writes' : 'thinks'}`;
    if (doing !== status) written.clear();
    written.add(event.text);
    return doing;
  };
  return {
    showsText: true,
    observe: (event, plan) => {
      const sighting = tracker.see(event);
      const doing = hear(sighting);
      const news = doing ?? statusOf(sighting, clean);
      if (news !== undefined && doing === undefined) written.clear();
      if (news !== undefined) status = news;
      const isDue = news !== undefined && (lasts(sighting) || now() - shownAtMs >= REFRESH_MS);
      if (plan !== shownPlan || isDue) show(plan);
    },
    hold: () => {
      stream.write(erase());
      shownLines = 0;
      holds += 1;
      return () => {
        holds -= 1;
      };
    },
    end: () => {
      stream.write(erase());
      shownLines = 0;
    },
  };
}

/** What is going on now; undefined when the event does not change that. */
function statusOf(sighting: Sighting, clean: (text: string) => string): string | undefined {
  const { event, around } = sighting;
  switch (event.type) {
    case 'model-call-start': {
      const inside = around.at(-1);
      return `${placeOf(sighting)}: asking the model${inside === undefined ? '' : ` inside ${inside.toolName}`}`;
    }
    case 'tool-call-start':
      return `${placeOf(sighting)}: ${event.toolName} ${clean(callSubject(event.params))}`.trimEnd();
    case 'model-call-retry':
    case 'tool-call-rerun':
    case 'approval-start':
    case 'hosted-tool-call':
    case 'hosted-approval':
    case 'tool-results-dropped':
    case 'turns-dropped':
      return newsOf(sighting, clean);
    default:
      return undefined;
  }
}

/** True for what is waited for, so that it must not be missed for having come too soon after the line before it. */
function lasts({ event }: Sighting): boolean {
  return event.type === 'model-call-retry' || event.type === 'approval-start';
}

/** The plan as a checklist; of a long one the part around the first step that is not done. */
function planLines(plan: Plan): readonly string[] {
  const [heading = '', ...steps] = formatPlan(plan).split('\n');
  if (steps.length < MAX_PLAN_LINES) return [heading, ...steps];
  const current = plan.steps.findIndex((step) => step.status !== 'done');
  const room = MAX_PLAN_LINES - 2;
  const from = Math.max(0, Math.min((current < 0 ? steps.length : current) - 2, steps.length - room));
  return [heading, ...steps.slice(from, from + room), `… ${counted(steps.length, 'step')} in all`];
}
