import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from '../drawing/hooks.ts';
import { useVirtual } from '../parts/virtual.ts';
import { useStore } from '../store/store.ts';
import { Row } from './row.tsx';
import { StripOverview } from './strip.tsx';

const legend = [
  ['full', 'landed'],
  ['', 'left nothing'],
  ['line', 'waits for its turn'],
  ['hatched', 'waits for a person'],
] as const;

/** The left side: the strip, the key to its bars, the tree of turns and calls. */
export function Timeline(): VNode {
  const store = useStore();
  return (
    <section class="left" id="timeline" aria-label="Timeline">
      <StripOverview />
      <div class="legend-bar">
        <div class="legend" aria-hidden="true">
          {legend.map(([look, meaning]) => (
            <span key={look}>
              <i class={`swatch ${look}`} />
              {meaning}
            </span>
          ))}
        </div>
        <div class="segments" role="group" aria-label="Scale of the bars">
          {(['turn', 'run'] as const).map((scale) => (
            <button
              key={scale}
              aria-pressed={store.scale.value === scale}
              onClick={() => (store.scale.value = scale)}
            >
              {scale === 'turn' ? 'Per turn' : 'Whole run'}
            </button>
          ))}
        </div>
      </div>
      <Tree />
    </section>
  );
}

function Tree(): VNode {
  const store = useStore();
  const box = useRef<HTMLDivElement | null>(null);
  const { rows } = store.rows.value;
  const selected = store.rowIndex.value.get(store.selected.value ?? '');
  const heads = useMemo(
    () => rows.flatMap(({ kind, level }, index) => (kind === 'turn' && level === 1 ? [index] : [])),
    [rows],
  );
  const focusable = selected ?? 0;
  // The column of the numbers is as wide as the last one.
  const digits = Math.max(2, String(store.record.value.root.turns.length).length);
  // The head of the turn that is seen first sticks to the top, and what has the focus stays in the document.
  const stuck = useRef(-1);
  const list = useVirtual({
    count: rows.length,
    box,
    estimate: (index) => estimate(rows[index]),
    key: (index) => rows[index]?.id ?? index,
    keep: [stuck.current, focusable],
    coveredPixels: 38,
  });
  const stick = heads.findLast((index) => index <= list.first) ?? -1;
  stuck.current = stick;
  const nextHead = heads.find((index) => index > stick);
  // The next head pushes the one that sticks out of the list.
  const pushed =
    nextHead === undefined || stick < 0
      ? 0
      : Math.min(0, list.startOf(nextHead) - list.offset - (list.startOf(stick + 1) - list.startOf(stick)));
  const { count: reveals, focus } = store.reveal.value;
  const isFirst = useRef(true);
  useEffect(() => {
    if (selected === undefined) return;
    list.scrollTo(selected, isFirst.current ? 'center' : 'nearest');
    isFirst.current = false;
    if (focus)
      box.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus({ preventScroll: true });
  }, [reveals]);
  const shown =
    list.items.some(({ index }) => index === stick) || stick < 0
      ? list.items
      : [{ index: stick, start: 0 }, ...list.items];
  return (
    <div class="tree" role="tree" aria-label="Turns and calls" ref={box} style={{ '--digits': digits }}>
      <div class="rows" role="presentation" style={{ height: `${list.totalPixels + 40}px` }}>
        {rows.length === 0 ? <NoRows /> : null}
        {shown.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const isSticky = index === stick;
          return (
            <div
              key={row.id}
              data-index={index}
              role="presentation"
              class={isSticky ? 'place stuck' : 'place'}
              style={{ transform: `translateY(${isSticky ? pushed : start}px)` }}
            >
              <Row row={row} isFirst={index === 0} isFocusable={index === focusable} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function estimate(row: ReturnType<typeof useStore>['rows']['value']['rows'][number] | undefined): number {
  const isNarrow = innerWidth <= 760;
  if (row === undefined) return 25;
  if (row.kind === 'turn') return row.level === 1 ? (isNarrow ? 44 : 32) : 25;
  return (isNarrow ? 32 : 25) + (row.found === undefined ? 0 : 22) + (row.repeats === undefined ? 0 : 22);
}

function NoRows(): VNode {
  const store = useStore();
  const query = store.query.value;
  if (query === '' && store.filter.value === undefined)
    return (
      <div class="none">
        <b>No turn yet</b>
        The record has no request, no answer and no call.
      </div>
    );
  return (
    <div class="none">
      <b>No call matches</b>
      {query === '' ? '' : `Nothing in names, arguments, results, files or policies contains “${query}”. `}
      <button class="link" onClick={() => store.clear()}>
        Show all calls
      </button>
    </div>
  );
}
