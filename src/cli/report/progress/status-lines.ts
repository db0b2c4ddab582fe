import { clipColumns, columnsOf, pad, printable } from '../../process/plain-text.ts';
import { amountText, readableTokens } from '../text/spending.ts';
import { type RunningWork, type RunStatus, secondsText } from './run-status.ts';

/** Lines of a terminal that a run takes at most. */
export const maxStatusLines = 6;
/** Calls that are shown of those that run at the same time. */
const maxCalls = 3;
/** Below it one call is shown. */
const narrowColumns = 60;
/** From here on words take the place of signs. */
const wideColumns = 100;
const indent = '  ';

/** The lines about a run, at most six, none wider than `columns`. Without what the model writes. Safe to print. */
export function statusLines(status: RunStatus, columns: number, nowMs: number): readonly string[] {
  const isWide = columns >= wideColumns;
  const working = workLines(status, columns, nowMs);
  const step = stepLine(status, isWide);
  const failed = failedLine(status, columns);
  const rest = [step, failed].filter((line) => line !== undefined);
  const room = maxStatusLines - 1 - working.length;
  // Where one of the two has room: the call, as long as the model may not have read why.
  const isNew = failed !== undefined && status.failed?.turn === status.turn;
  const kept = rest.length > room ? (isNew ? [failed] : rest).slice(0, room) : rest;
  return [headLine(status, columns), ...working, ...kept].map((line) => clipColumns(line, columns));
}

/** Name, turn, time and spending, as much as there is room for. */
function headLine(status: RunStatus, columns: number): string {
  const { run, turn, elapsedMs, outcomes } = status;
  const title = printable(run.title);
  const { usage, cost } = run.spending();
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const isCounted = inputTokens !== undefined || outputTokens !== undefined;
  const input = inputTokens ?? 0;
  const output = outputTokens ?? 0;
  const cached =
    cachedInputTokens === 0 || input === 0
      ? ''
      : ` (${Math.round((100 * cachedInputTokens) / input)}% cached)`;
  const time = clockText(elapsedMs);
  const price = cost === undefined || !isCounted ? [] : [`$${amountText(cost)}`];
  const ofCost = (of: string): readonly string[] =>
    price.map((text) => (run.maxCost === undefined ? text : `${text}${of}${amountText(run.maxCost)}`));
  const ofTurns = (of: string): readonly string[] =>
    turn === 0 ? [] : [`turn ${turn}${run.maxTurns === undefined ? '' : `${of}${run.maxTurns}`}`];
  const tokens = (between: string): readonly string[] =>
    isCounted ? [`${readableTokens(input)} in${cached}${between}${readableTokens(output)} out`] : [];

  const wide = [
    title,
    ...ofTurns(' of '),
    time,
    ...tokens(', '),
    ...ofCost(' of $'),
    ...(outcomes === '' ? [] : [outcomes]),
  ].join('   ');
  if (columns >= wideColumns && columnsOf(wide) <= columns) return wide;
  const middle = [...ofTurns('/'), time, ...tokens(' '), ...ofCost('/')].join('  ');
  const room = columns - columnsOf(middle) - indent.length;
  if (room >= Math.min(columnsOf(title), minTitle) && columns >= narrowColumns)
    return `${clipColumns(title, room)}  ${middle}`;
  const total = isCounted ? [readableTokens(input + output)] : [];
  return [...(turn === 0 ? [] : [`turn ${turn}`]), time, ...total, ...price].join('  ');
}

/** Columns that a name must have to say something. */
const minTitle = 12;

/** The calls that run, or else what the model does. */
function workLines(status: RunStatus, columns: number, nowMs: number): readonly string[] {
  const { running, asking } = status;
  if (running.length === 0) return asking === undefined ? [] : [`${indent}${asking}`];
  const shown = running.slice(0, columns < narrowColumns ? 1 : maxCalls);
  const more = running.length - shown.length;
  const lines =
    columns >= wideColumns
      ? tableLines(shown, columns, nowMs)
      : shown.map((work) => workLine(work, columns, nowMs));
  return [...lines, ...(more > 0 ? [`${indent}+ ${more} more`] : [])];
}

/** Its time at the end of the line. */
function workLine({ toolName, args, report, sinceMs }: RunningWork, columns: number, nowMs: number): string {
  const time = secondsText(nowMs - sinceMs);
  const room = Math.max(1, columns - indent.length - time.length - 2);
  const said = report === '' ? '' : `  > ${report}`;
  const text = clipColumns(`${`${toolName} ${args}`.trimEnd()}${said}`, room);
  return `${indent}${pad(text, room)}  ${time}`;
}

/** Columns of everything but the arguments. */
const tableColumns = 82;
const maxArgsColumns = 60;

/** One below the other: tools, arguments, times, and what they report. */
function tableLines(shown: readonly RunningWork[], columns: number, nowMs: number): readonly string[] {
  const argsColumns = Math.min(maxArgsColumns, columns - tableColumns);
  const toolColumns = Math.min(40, Math.max(...shown.map(({ toolName }) => columnsOf(toolName))));
  return shown.map(({ toolName, args, report, sinceMs }) => {
    const name = pad(clipColumns(toolName, toolColumns), toolColumns);
    const about = pad(clipColumns(args, argsColumns), argsColumns);
    const said = report === '' ? '' : `   > ${report}`;
    return `${indent}${name}  ${about}  running ${secondsText(nowMs - sinceMs)}${said}`;
  });
}

function stepLine({ step }: RunStatus, isWide: boolean): string | undefined {
  if (step === undefined) return undefined;
  return `${indent}plan ${step.number}${isWide ? ' of ' : '/'}${step.of}: ${step.title}`;
}

function failedLine({ failed }: RunStatus, columns: number): string | undefined {
  if (failed === undefined) return undefined;
  const start = `${indent}${failed.word}: ${failed.subject}`;
  const whole = start + failed.rest;
  return columnsOf(whole) <= columns ? whole : start + failed.shortRest;
}

/** `1:42`, `1:02:03`. */
function clockText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (amount: number): string => String(amount).padStart(2, '0');
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
}
