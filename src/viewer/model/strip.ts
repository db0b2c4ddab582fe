import type { RecordedCall, RecordedTurn, RunRecord } from '../../record/index.ts';
import { endOf, phasesOfCall, timeIn } from './phases.ts';
import { answeredAt, requestTokens, runEnd } from './turns.ts';
import { clock, duration, type Mark, markOf } from './words.ts';

/** One thing in the strip; lengths in pixels of its width. */
export type StripShape = {
  readonly x: number;
  readonly width: number;
} & (
  | { readonly kind: 'model' }
  | {
      /** `bar`: it ran. `wait`: a thin line. `asked`: waited for a person. */
      readonly kind: 'bar' | 'wait' | 'asked';
      readonly lane: number;
      readonly mark: Mark;
      readonly call: RecordedCall;
    }
);

export interface Strip {
  readonly totalMs: number;
  readonly ticks: readonly { readonly x: number; readonly label: string }[];
  readonly shapes: readonly StripShape[];
  /** When no process worked on the run. */
  readonly pauses: readonly { readonly x: number; readonly width: number }[];
  /** Size of the requests as steps, `y` as a share of the largest. */
  readonly requests: readonly { readonly x: number; readonly y: number }[];
  readonly maxTokens: number;
  readonly lanes: ReadonlyMap<RecordedCall, number>;
}

const laneCount = 5;
const margin = 2;
const minBar = 4;
/** Steps between ticks, in seconds. */
const steps = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200, 18_000, 43_200,
];
const pixelsPerTick = 76;

/** Position of a time in a strip. */
export function positionOf(atMs: number, totalMs: number, width: number): number {
  return margin + ((width - 2 * margin) * Math.min(Math.max(atMs, 0), totalMs)) / Math.max(1, totalMs);
}

/** The whole run in true time. Calls that share a pixel, a lane and a mark are one shape, so that their number has no influence. */
export function layoutStrip(record: RunRecord, width: number): Strip {
  const totalMs = Math.max(1, runEnd(record));
  const x = (atMs: number): number => positionOf(atMs, totalMs, width);
  const shapes: StripShape[] = [];
  const seen = new Set<string>();
  const add = (shape: StripShape): void => {
    const where = `${Math.round(shape.x)} ${Math.round(shape.width)} ${shape.kind}`;
    const key = shape.kind === 'model' ? where : `${where} ${shape.lane} ${shape.mark}`;
    if (seen.has(key)) return;
    seen.add(key);
    shapes.push(shape);
  };
  for (const turn of record.root.turns) {
    const from = x(turn.request?.atMs ?? turn.startedAtMs);
    if (turn.response !== undefined)
      add({ kind: 'model', x: from, width: Math.max(1.5, x(answeredAt(turn)) - from) });
  }
  const lanes = layLanes(record, (5 * totalMs) / Math.max(1, width));
  for (const [call, lane] of lanes) for (const shape of shapesOf(call, lane, x)) add(shape);
  const sizes = requestSizes(record.root.turns, totalMs);
  const maxTokens = sizes.reduce((max, { tokens }) => Math.max(max, tokens), 0);
  return {
    totalMs,
    ticks: ticksOf(totalMs, width, x),
    shapes,
    pauses: record.pauses.map(({ fromMs, toMs }) => ({ x: x(fromMs), width: x(toMs) - x(fromMs) })),
    requests: sizes.map(({ atMs, tokens }) => ({ x: x(atMs), y: maxTokens === 0 ? 0 : tokens / maxTokens })),
    maxTokens,
    lanes,
  };
}

/** Parallel calls are in lanes above each other; what does not fit shares the last one. */
function layLanes(record: RunRecord, minMs: number): ReadonlyMap<RecordedCall, number> {
  const free: number[] = [];
  const lanes = new Map<RecordedCall, number>();
  for (const turn of record.root.turns) {
    for (const call of turn.calls) {
      let lane = free.findIndex((untilMs) => untilMs <= call.startedAtMs);
      if (lane < 0) lane = Math.min(free.length, laneCount - 1);
      free[lane] = Math.max(endOf(call), call.startedAtMs + minMs);
      lanes.set(call, lane);
    }
  }
  return lanes;
}

function shapesOf(call: RecordedCall, lane: number, x: (atMs: number) => number): readonly StripShape[] {
  const base = { lane, mark: markOf(call.outcome), call } as const;
  const last = call.attempts.at(-1);
  const from = x(call.startedAtMs);
  const whole = Math.max(minBar, x(endOf(call)) - from);
  const asked = phasesOfCall(call).filter(({ kind }) => kind === 'asked');
  const found: StripShape[] = asked.map((phase) => ({
    ...base,
    kind: 'asked',
    x: x(phase.fromMs),
    width: Math.max(minBar, x(phase.toMs) - x(phase.fromMs)),
  }));
  const ranMs = last === undefined ? 0 : timeIn(last, call.attempts.at(-2), 'ran');
  const lengthMs = endOf(call) - call.startedAtMs;
  if (asked.length > 0 || ranMs < lengthMs / 3) {
    found.unshift({ ...base, kind: 'wait', x: from, width: whole });
    found.push({ ...base, kind: 'bar', x: from, width: minBar });
  } else found.push({ ...base, kind: 'bar', x: from, width: whole });
  return found;
}

function requestSizes(
  turns: readonly RecordedTurn[],
  totalMs: number,
): readonly { readonly atMs: number; readonly tokens: number }[] {
  const found = turns.flatMap((turn) => {
    const tokens = requestTokens(turn);
    return tokens === undefined ? [] : [{ atMs: turn.request?.atMs ?? turn.startedAtMs, tokens }];
  });
  const last = found.at(-1);
  return last === undefined ? [] : [...found, { atMs: totalMs, tokens: last.tokens }];
}

function ticksOf(totalMs: number, width: number, x: (atMs: number) => number): Strip['ticks'] {
  const wanted = (totalMs / 1000) * (pixelsPerTick / Math.max(pixelsPerTick, width));
  const stepMs = 1000 * (steps.find((seconds) => seconds >= wanted) ?? 86_400);
  const ticks: { readonly x: number; readonly label: string }[] = [];
  for (let atMs = 0; atMs <= totalMs; atMs += stepMs)
    ticks.push({ x: x(atMs), label: stepMs < 1000 ? duration(atMs) : clock(atMs).replace(/\.0+$/, '') });
  return ticks;
}
