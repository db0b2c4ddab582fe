import { counted } from '../../internal/index.ts';
import { formatPlan, type Plan } from '../../suite/index.ts';
import type { OutputStream } from '../process/environment.ts';
import { clipColumns, printable, wrapColumns } from '../process/plain-text.ts';
import type { LocatedEvent } from './call-log.ts';
import { LiveStatus } from './live-status.ts';
import type { Progress, ProgressOptions } from './progress.ts';

/** Milliseconds between two changes of the line. */
const refreshMs = 80;
/** Milliseconds until the line is looked at again where nothing happens: seconds go by, and news gets old. */
const tickMs = 200;
/** Lines of a plan that are shown above the line. */
const maxPlanLines = 12;
/** Lines of what the model writes that are shown below it. */
const maxTextLines = 3;
const lineIndent = '  ';

type LiveOptions = ProgressOptions & Required<Pick<ProgressOptions, 'calls' | 'clean' | 'style'>>;

/**
 * One line that is rewritten, under the plan if there is one, over the end of what the model writes. It shows the latest state: what comes too
 * soon after a change is shown a moment later, and seconds are counted while nothing happens.
 */
export function liveProgress(stream: OutputStream, options: LiveOptions): Progress {
  const { calls, now, clean, style, after = () => () => undefined } = options;
  const status = new LiveStatus(calls, now, clean);
  const written = new StreamedText();
  let plan: Plan | undefined;
  /** What is on the terminal. */
  let shown: string | undefined;
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let isMidLine = false;
  let holds = 0;
  let cancel = (): void => undefined;

  const erase = (): string => {
    if (shown === undefined) return '';
    const rows = shown.split('\n').length;
    shown = undefined;
    return `\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(rows - 1)}`;
  };
  const show = (): void => {
    // A wide character at the end of a line takes the last column, too.
    const width = Math.max(1, (stream.columns ?? 80) - 1);
    const text = [
      ...[...(plan === undefined ? [] : planLines(plan)), status.line()].map((line) =>
        clipColumns(printable(line), width),
      ),
      ...written
        .lastLines(maxTextLines, Math.max(1, width - lineIndent.length))
        .map((line) => style('faint', lineIndent + line)),
    ].join('\n');
    shownAtMs = now();
    if (shown !== text) {
      const start = isMidLine ? '\n' : '\r\u001b[2K';
      stream.write(`${shown === undefined ? start : erase()}${text}`);
      isMidLine = false;
      shown = text;
    }
    later(tickMs);
  };
  const later = (milliseconds: number): void => {
    cancel();
    cancel = after(milliseconds, show);
  };
  /** Shows the state now, or as soon as the line may change again. */
  const refresh = (): void => {
    if (holds > 0) return;
    const wait = shownAtMs + refreshMs - now();
    if (wait <= 0) show();
    else later(wait);
  };
  const clear = (): void => {
    cancel();
    stream.write(erase());
  };
  const unlisten = options.onOtherOutput?.((text) => {
    if (text === '') return;
    if (shown !== undefined) clear();
    isMidLine = !text.endsWith('\n');
    // The others write when this has returned.
    if (holds === 0 && status.line() !== '') later(refreshMs);
  });
  return {
    showsText: true,
    observe: (event, present) => {
      const sighting = status.observe(event);
      writeDelta(written, sighting);
      const isNewPlan = present !== plan;
      plan = present;
      if (holds > 0 || status.line() === '') return;
      if (isNewPlan || isAwaited(sighting)) show();
      else refresh();
    },
    hold: () => {
      clear();
      holds += 1;
      return () => {
        holds -= 1;
        if (status.line() !== '') refresh();
      };
    },
    end: () => {
      unlisten?.();
      clear();
      if (isMidLine) stream.write('\n');
    },
  };
}

/** Hears what the run's own model writes; those inside calls may write at the same time. */
function writeDelta(written: StreamedText, { event, around }: LocatedEvent): void {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      if (around.length === 0) written.add(event.text, event.type);
      return;
    case 'model-call-start':
    case 'model-call-retry':
    case 'tool-call-start':
      written.clear();
      return;
    default:
  }
}

/** True for what is waited for, so that it is shown at once. */
function isAwaited({ event }: LocatedEvent): boolean {
  return event.type === 'model-call-retry' || event.type === 'approval-start';
}

/** The plan as a checklist; of a long one the part around the first step that is not done. */
function planLines(plan: Plan): readonly string[] {
  const [heading = '', ...steps] = formatPlan(plan).split('\n');
  if (steps.length < maxPlanLines) return [heading, ...steps];
  const current = plan.steps.findIndex((step) => step.status !== 'done');
  const room = maxPlanLines - 2;
  const from = Math.max(0, Math.min((current < 0 ? steps.length : current) - 2, steps.length - room));
  return [heading, ...steps.slice(from, from + room), `… ${counted(steps.length, 'step')} in all`];
}

/** Characters of a text that are kept: the end of it is what is shown. */
const maxCharacters = 2_000;

/** What a model is writing, as far as a few lines of a terminal show it. */
class StreamedText {
  #text = '';
  #kind = '';

  /** @param kind of the text; a piece of another kind begins anew. */
  add(piece: string, kind: string): void {
    if (kind !== this.#kind) this.clear();
    this.#kind = kind;
    const text = this.#text + piece;
    // Cut seldom: where the text begins decides where its lines break.
    this.#text = text.length > maxCharacters ? text.slice(-maxCharacters / 2) : text;
  }

  clear(): void {
    this.#text = '';
  }

  /** The last lines, at most `count`, none of them empty. */
  lastLines(count: number, columns: number): readonly string[] {
    return this.#text
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim())
      .filter((line) => line !== '')
      .slice(-count)
      .flatMap((line) => wrapColumns(printable(line), columns))
      .slice(-count);
  }
}
