import { counted, endOf } from '../../../core/internal/index.ts';
import type { RunEvent } from '../../../core/runtime/index.ts';
import { formatPlan, type Plan } from '../../../suite/planning/index.ts';
import type { CliEnvironment, OutputStream } from '../../process/environment.ts';
import { clipColumns, printable, printableProse, wrapColumns } from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';
import type { CallLog, LocatedEvent } from '../calls/call-log.ts';
import { LiveStatus } from './live-status.ts';

/** Options of a progress display. */
export interface ProgressOptions {
  /** The calls of the run; gets every event that is observed. Default: a private log. */
  readonly calls?: CallLog;
  /** Milliseconds; only differences are meaningful. */
  readonly now: () => number;
  /** See `after` of the environment. Default: updates are shown with the next event only. */
  readonly after?: CliEnvironment['after'];
  /** See `onOtherOutput` of the environment. Default: there is no other output. */
  readonly onOtherOutput?: CliEnvironment['onOtherOutput'];
  /** Removes what must not be shown from a text. Default: nothing. */
  readonly clean?: (text: string) => string;
  /** Default: no styles. */
  readonly style?: TextStyle;
  /** Whether log lines are also written. Default: false. */
  readonly isVerbose?: boolean;
}

/** Shows the progress of a run. */
export interface Progress {
  /** Whether it shows the model's text as it is written, and so needs deltas. */
  readonly showsText: boolean;
  /** @param plan the plan of the session after the event; undefined without one. */
  observe(event: RunEvent, plan?: Plan): void;
  /** Hides output that would interfere with a question, and shows nothing until the returned function is called. */
  hold(): () => void;
  /** Removes output that is only meaningful during the run. */
  end(): void;
}

/** Minimum milliseconds between two updates of the line. */
const refreshMs = 80;
/** Milliseconds between updates without events: elapsed seconds advance, and reports expire. */
const tickMs = 200;
/** Maximum lines of a plan above the status line. */
const maxPlanLines = 12;
/** Maximum lines of the model's text below it. */
const maxTextLines = 3;
const lineIndent = '  ';

type LiveOptions = ProgressOptions & Required<Pick<ProgressOptions, 'calls' | 'clean' | 'style'>>;

/**
 * A status line that is rewritten, below the plan if there is one, above the end of the model's text. It shows the latest
 * state: updates that come too soon after the last one are delayed, and seconds are counted while nothing happens.
 */
export function liveProgress(stream: OutputStream, options: LiveOptions): Progress {
  const { calls, now, clean, style, after = () => () => undefined } = options;
  const status = new LiveStatus(calls, now, clean);
  const written = new StreamedText();
  let plan: Plan | undefined;
  /** The content on the terminal. */
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
    // A wide character at the end of a line occupies the last column, too.
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
  /** Shows the state now, or as soon as the line may be updated again. */
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
    // Other writers write after this has returned.
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

/** Adds text of the run's own model; models of inner runs may write at the same time. */
function writeDelta(written: StreamedText, { event, outerCalls }: LocatedEvent): void {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      if (outerCalls.length === 0) written.add(event.text, event.type);
      return;
    case 'model-call-start':
    case 'model-call-retry':
    case 'answer-restarted':
    case 'tool-call-start':
      written.clear();
      return;
    default:
  }
}

/** True for events that start a wait, which are shown at once. */
function isAwaited({ event }: LocatedEvent): boolean {
  return event.type === 'model-call-retry' || event.type === 'approval-start';
}

/** The plan as a checklist; of a long plan the part around the first open step. */
function planLines(plan: Plan): readonly string[] {
  const [heading = '', ...steps] = formatPlan(plan).split('\n');
  if (steps.length < maxPlanLines) return [heading, ...steps];
  const current = plan.steps.findIndex((step) => step.status !== 'done');
  const room = maxPlanLines - 2;
  const from = Math.max(0, Math.min((current < 0 ? steps.length : current) - 2, steps.length - room));
  return [heading, ...steps.slice(from, from + room), `… ${counted(steps.length, 'step')} in all`];
}

/** Maximum characters of a text that are kept; only its end is shown. */
const maxCharacters = 2_000;

/** The text that a model is writing, as far as a few lines of a terminal show it. */
class StreamedText {
  #text = '';
  #kind = '';

  /** @param kind of the text; a delta of another kind starts a new text. */
  add(piece: string, kind: string): void {
    if (kind !== this.#kind) this.clear();
    this.#kind = kind;
    const text = this.#text + piece;
    // Trimmed rarely, because the start of the text decides where its lines break.
    this.#text = text.length > maxCharacters ? endOf(text, maxCharacters / 2) : text;
  }

  clear(): void {
    this.#text = '';
  }

  /** The last lines, at most `count`, without empty ones. */
  lastLines(count: number, columns: number): readonly string[] {
    return this.#text
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim())
      .filter((line) => line !== '')
      .slice(-count)
      .flatMap((line) => wrapColumns(printableProse(line), columns))
      .slice(-count);
  }
}
