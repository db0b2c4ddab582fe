import type { VNode } from 'preact';
import { endOf, lengthOf } from '../../model/phases.ts';
import { timeOf } from '../../model/steps.ts';
import { layoutStrip, positionOf, type Strip, type StripShape } from '../../model/strip.ts';
import { turnId } from '../../model/turns.ts';
import { visible } from '../../model/visible.ts';
import { brief, count, duration, many, wordOf } from '../../model/words.ts';
import { useEffect, useMemo, useRef } from '../drawing/hooks.ts';
import { useSignal } from '../store/signals.ts';
import { useStore } from '../store/store.ts';

const height = 92;
const modelTop = 63;

const laneTop = (lane: number): number => 54 - lane * 9;

/** The whole run in true time, with the size of the requests below. A click selects what is nearest. */
export function StripOverview(): VNode {
  const store = useStore();
  const box = useRef<HTMLDivElement | null>(null);
  const shownWidth = useSignal(700);
  const width = shownWidth.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => {
      const style = getComputedStyle(element);
      const inner =
        element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      if (inner > 0) shownWidth.value = Math.round(inner);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const record = store.record.value;
  const strip = useMemo(() => layoutStrip(record, width), [record, width]);
  const choose = (event: MouseEvent): void => {
    const frame = (event.currentTarget as Element).getBoundingClientRect(); // The listener is on an element.
    const id = nearest(strip, width, event.clientX - frame.left, event.clientY - frame.top, store);
    if (id !== undefined) store.select(id, { detail: true });
  };
  return (
    <div class="strip" ref={box}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`The run in time: ${many(record.root.turns.length, 'turn')} in ${duration(strip.totalMs)}`}
        onClick={choose}
      >
        <StripDrawing strip={strip} width={width} id="hatch" />
        <Playhead strip={strip} width={width} />
      </svg>
    </div>
  );
}

/** The drawing without the position of the reader. `id` names its pattern, once in the page. */
export function StripDrawing(props: {
  readonly strip: Strip;
  readonly width: number;
  readonly id: string;
}): VNode {
  const { strip, width, id } = props;
  const { requests, maxTokens, pauses } = strip;
  let lid = '';
  for (const { x, y } of requests)
    lid += lid === '' ? `M${x},${height - 20 * y}` : `H${x}V${height - 20 * y}`;
  return (
    <g>
      <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path d="M1 0V5" stroke="var(--wait-fill)" stroke-width="2" />
      </pattern>
      {pauses.map((pause) => (
        <rect key={pause.x} {...pause} y="14" height={height - 14} fill="var(--line)" opacity=".7">
          <title>No process worked on the run</title>
        </rect>
      ))}
      {strip.ticks.map(({ x, label }) => (
        <g key={label}>
          <line x1={x} x2={x} y1="14" y2={height} stroke="var(--line)" />
          {x < width - 24 ? (
            <text x={x + 3} y="10">
              {label}
            </text>
          ) : null}
        </g>
      ))}
      {lid === '' ? null : (
        <>
          <path d={`${lid}V${height}H2Z`} fill="var(--sunk)" />
          <path d={lid} fill="none" stroke="var(--line2)" />
          <text x={width - 5} y={height - 3} text-anchor="end">
            {`largest request ${count(maxTokens)} tokens`}
          </text>
        </>
      )}
      {strip.shapes.map((shape, index) => (
        <Shape key={index} shape={shape} hatch={id} />
      ))}
    </g>
  );
}

function Shape({ shape, hatch }: { readonly shape: StripShape; readonly hatch: string }): VNode {
  const { x, width } = shape;
  if (shape.kind === 'model') return <rect x={x} y={modelTop} width={width} height="5" fill="var(--model)" />;
  const y = laneTop(shape.lane);
  const bar = { y, height: '6', rx: '1' };
  const { call, mark } = shape;
  const title = (
    <title>
      {visible(`${call.toolName} ${brief(call)}, ${wordOf(call.outcome)}, ${duration(lengthOf(call))}`)}
    </title>
  );
  switch (shape.kind) {
    case 'wait':
      return (
        <line class={mark} x1={x} x2={x + width} y1={y + 3} y2={y + 3} stroke="currentColor" opacity=".5">
          {title}
        </line>
      );
    case 'asked':
      return (
        <rect x={x} width={width} {...bar} fill={`url(#${hatch})`} stroke="var(--wait)" stroke-width=".8">
          {title}
        </rect>
      );
    case 'bar': {
      const look =
        mark === 'ok'
          ? { fill: 'currentColor' }
          : { fill: 'var(--panel)', stroke: 'currentColor', 'stroke-width': '1.4' };
      return (
        <rect class={mark} x={x + 0.5} width={width - 1} {...bar} {...look}>
          {title}
        </rect>
      );
    }
  }
}

function Playhead({ strip, width }: { readonly strip: Strip; readonly width: number }): VNode {
  const store = useStore();
  const record = store.record.value;
  const x = positionOf(timeOf(record, store.seq.value), strip.totalMs, width);
  const call = store.call.value;
  const lane = call === undefined ? undefined : strip.lanes.get(call);
  const from = call === undefined ? 0 : positionOf(call.startedAtMs, strip.totalMs, width);
  const to = call === undefined ? 0 : Math.max(from + 4, positionOf(endOf(call), strip.totalMs, width));
  return (
    <g>
      {lane === undefined ? null : (
        <rect
          x={from - 2}
          y={laneTop(lane) - 2}
          width={to - from + 4}
          height="10"
          rx="2"
          fill="none"
          stroke="var(--accent)"
          stroke-width="1.5"
        />
      )}
      <path d={`M${x},14V${height}M${x - 4},12h8l-4,6z`} stroke="var(--accent)" fill="var(--accent)" />
    </g>
  );
}

/** The call nearest to a point; below the calls the turn at that time. */
function nearest(
  strip: Strip,
  width: number,
  x: number,
  y: number,
  store: ReturnType<typeof useStore>,
): string | undefined {
  const atMs = (strip.totalMs * x) / Math.max(1, width);
  const { turns } = store.record.value.root;
  let best: { readonly id: string; readonly far: number } | undefined;
  if (y <= modelTop - 3) {
    const slack = strip.totalMs / 200;
    for (const [call, lane] of strip.lanes) {
      const from = call.startedAtMs - slack;
      const to = endOf(call) + slack;
      const away = atMs < from ? from - atMs : atMs > to ? atMs - to : 0;
      const far = away + Math.abs(laneTop(lane) + 3 - y) / 1000;
      if (best === undefined || far < best.far) best = { id: call.id, far };
    }
  }
  if (best !== undefined) return best.id;
  const turn = turns.findLast(({ startedAtMs }) => startedAtMs <= atMs) ?? turns[0];
  return turn === undefined ? undefined : turnId(turn);
}
