import type { RunEvent } from '../runtime/index.ts';
import { formatPlan, formatPlanStep, type Plan } from '../suite/index.ts';
import { callSubject } from './call-log.ts';
import type { OutputStream } from './environment.ts';
import { clip, counted, printable, readableDuration } from './plain-text.ts';

/** Shows what a run is doing while it does it. */
export interface Progress {
  /** @param plan what the session plans after the event; undefined when it has no plan. */
  observe(event: RunEvent, plan?: Plan): void;
  /** Takes away what would be in the way of a question, and shows nothing until the returned function is called. */
  hold(): () => void;
  /** Takes away what is only good while the run lasts. */
  end(): void;
}

/** Milliseconds between two changes of the line on a terminal. */
const REFRESH_MS = 80;
/** Lines of a plan that are shown above the line on a terminal. */
const MAX_PLAN_LINES = 12;

/** One line that is rewritten on a terminal, under the plan if there is one; one line per turn and step everywhere else. */
export function createProgress(stream: OutputStream, now: () => number): Progress {
  return stream.isTerminal ? liveProgress(stream, now) : plainProgress(stream);
}

function liveProgress(stream: OutputStream, now: () => number): Progress {
  let calls = 0;
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let shownLines = 0;
  let shownPlan: Plan | undefined;
  let status = '';
  let holds = 0;
  const erase = (): string =>
    shownLines === 0 ? '' : `\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(shownLines - 1)}`;
  const show = (plan: Plan | undefined): void => {
    if (holds > 0) return;
    const width = (stream.columns ?? 80) - 1;
    const lines = [...(plan === undefined ? [] : planLines(plan)), status].map((line) =>
      clip(printable(line), width),
    );
    stream.write(`${shownLines === 0 ? '\r\u001b[2K' : erase()}${lines.join('\n')}`);
    shownLines = lines.length;
    shownAtMs = now();
    shownPlan = plan;
  };
  return {
    observe: (event, plan) => {
      if (event.type === 'model-call-start') status = `turn ${event.turn}: asking the model`;
      if (event.type === 'tool-call-start') {
        calls += 1;
        status = `turn ${event.turn}, call ${calls}: ${event.toolName} ${callSubject(event.params)}`;
      }
      if (event.type === 'model-call-retry') status = retryText(event);
      const isNews = event.type === 'tool-call-start' || event.type === 'model-call-start';
      if (
        plan !== shownPlan ||
        event.type === 'model-call-retry' ||
        (isNews && now() - shownAtMs >= REFRESH_MS)
      )
        show(plan);
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

function retryText(event: Extract<RunEvent, { readonly type: 'model-call-retry' }>): string {
  return `turn ${event.turn}: the model could not answer (${event.reason}), asked again in ${readableDuration(event.delayMs)}`;
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

function plainProgress(stream: OutputStream): Progress {
  let known: Plan | undefined;
  return {
    observe: (event, plan) => {
      if (plan !== undefined && plan !== known) {
        const isNew = known === undefined || known.objective !== plan.objective;
        const before = new Set(isNew ? [] : known?.steps.map(formatPlanStep));
        if (isNew) stream.write(`plan: ${printable(plan.objective)}\n`);
        for (const line of plan.steps.map(formatPlanStep)) {
          if (!before.has(line)) stream.write(`plan: ${printable(line)}\n`);
        }
        known = plan;
      }
      if (event.type === 'model-call-retry') stream.write(`${printable(retryText(event))}\n`);
      if (event.type !== 'model-call-end' || event.toolCalls.length === 0) return;
      const counts = new Map<string, number>();
      for (const call of event.toolCalls) counts.set(call.name, (counts.get(call.name) ?? 0) + 1);
      const tools = [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
      stream.write(
        `turn ${event.turn}: ${counted(event.toolCalls.length, 'call')} (${printable(tools.join(', '))})\n`,
      );
    },
    hold: () => () => undefined,
    end: () => undefined,
  };
}
