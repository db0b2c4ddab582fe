import type { CliEnvironment, OutputStream } from '../../process/environment.ts';
import { columnsOf } from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';
import type { LocatedEvent } from '../calls/call-log.ts';
import type { Progress, ProgressOptions } from './progress.ts';
import type { RunStatus } from './run-status.ts';
import { maxStatusLines, statusLines } from './status-lines.ts';
import { StreamedText } from './streamed-text.ts';

/** Minimum milliseconds between two updates. */
const refreshMs = 80;
/** Milliseconds between updates without events: times advance. */
const tickMs = 200;
const defaultColumns = 80;
/** Maximum lines of the model's text below the others. */
const maxTextLines = 3;
const textIndent = '  ';

type LiveOptions = Pick<ProgressOptions, 'now' | 'onOtherOutput'> & {
  readonly after: CliEnvironment['after'];
  readonly style: TextStyle;
};

/**
 * A few lines that are rewritten, above the end of the model's text. They show the latest state: updates that come too soon after the last one are delayed, and times advance while
 * nothing happens.
 */
export function liveProgress(stream: OutputStream, status: RunStatus, options: LiveOptions): Progress {
  const { now, style, after } = options;
  const written = new StreamedText();
  /** The lines on the terminal, and the columns of each. */
  let shown: { readonly text: string; readonly columns: readonly number[] } | undefined;
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let isBegun = false;
  let isMidLine = false;
  let holds = 0;
  let cancel = (): void => undefined;

  const erase = (): string => {
    if (shown === undefined) return '';
    // A terminal that became narrower has broken them.
    const width = stream.columns ?? defaultColumns;
    const rows = shown.columns.reduce((sum, columns) => sum + Math.max(1, Math.ceil(columns / width)), 0);
    shown = undefined;
    return `\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(rows - 1)}`;
  };
  const show = (): void => {
    const width = stream.columns ?? defaultColumns;
    const lines = statusLines(status, width, now());
    const room = Math.min(maxTextLines, maxStatusLines - lines.length);
    // The widths of what a model writes are not sure: one column is left.
    const said = written
      .lastLines(room, Math.max(2, width - textIndent.length - 1))
      .map((line) => textIndent + line);
    const columns = [...lines, ...said].map(columnsOf);
    const text = [...lines, ...said.map((line) => style('faint', line))].join('\n');
    shownAtMs = now();
    if (shown?.text !== text) {
      const start = isMidLine ? '\n' : '\r\u001b[2K';
      stream.write(`${shown === undefined ? start : erase()}${text}`);
      isMidLine = false;
      shown = { text, columns };
    }
    later(tickMs);
  };
  const later = (milliseconds: number): void => {
    cancel();
    cancel = after(milliseconds, show);
  };
  /** Shows the state now, or as soon as it may be shown again. */
  const refresh = (): void => {
    if (holds > 0 || !isBegun) return;
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
    if (holds === 0 && isBegun) later(refreshMs);
  });
  return {
    showsText: true,
    observe: (event, plan) => {
      const sighting = status.observe(event, plan);
      written.observe(sighting);
      isBegun = true;
      if (holds === 0 && isAwaited(sighting)) show();
      else refresh();
    },
    hold: () => {
      clear();
      holds += 1;
      return () => {
        holds -= 1;
        refresh();
      };
    },
    end: () => {
      unlisten?.();
      clear();
      if (isMidLine) stream.write('\n');
    },
  };
}

/** True for events that start a wait, which are shown at once. */
function isAwaited({ event }: LocatedEvent): boolean {
  return event.type === 'model-call-retry' || event.type === 'approval-start';
}
