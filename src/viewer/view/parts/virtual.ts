import { useEffect, useRedraw, useRef } from '../drawing/hooks.ts';

/** What a list in an element that scrolls is made of. */
export interface VirtualOptions {
  readonly count: number;
  /** The element that scrolls. */
  readonly box: { readonly current: HTMLElement | null };
  /** Size of an item until it has been measured, in pixels. */
  readonly estimate: (index: number) => number;
  /** Names an item, for its measured size. */
  readonly key: (index: number) => string | number;
  /** Items that are in the document wherever the list is scrolled to. */
  readonly keep?: readonly number[];
  readonly isHorizontal?: boolean;
  /** What covers the start of the list, such as a head that sticks there. */
  readonly coveredPixels?: number;
}

export interface VirtualList {
  /** The items in the document, in their order. */
  readonly items: readonly { readonly index: number; readonly start: number }[];
  /** Index of the first item that is seen, and how far the list is scrolled. */
  readonly first: number;
  readonly offset: number;
  /** Where an item begins. */
  startOf(index: number): number;
  readonly totalPixels: number;
  /** Scrolls until an item is seen. */
  scrollTo(index: number, align: 'nearest' | 'center'): void;
}

/** Pixels around what is seen that are in the document, too. */
const marginPixels = 300;

interface Layout {
  /** Starts of the items, and the end of the last one. */
  readonly starts: Float64Array;
  at(pixels: number): number;
}

/** Only what is seen of a list, and some around it, is in the document. Items carry `data-index`; their sizes are measured as they are drawn. */
export function useVirtual(options: VirtualOptions): VirtualList {
  const { count, box, isHorizontal = false, coveredPixels = 0 } = options;
  const redraw = useRedraw();
  const sizes = useRef(new Map<string | number, number>());
  const target = useRef<{ readonly index: number; readonly align: 'nearest' | 'center' } | undefined>(
    undefined,
  );
  const layout = layoutOf(options, sizes.current);
  const element = box.current;
  const offset = element === null ? 0 : isHorizontal ? element.scrollLeft : element.scrollTop;
  const seen = element === null ? 800 : isHorizontal ? element.clientWidth : element.clientHeight;
  const first = layout.at(offset);
  const from = layout.at(offset - marginPixels);
  const to = layout.at(offset + seen + marginPixels);
  const indexes = new Set((options.keep ?? []).filter((index) => index >= 0 && index < count));
  for (let index = from; index <= to && index < count; index += 1) indexes.add(index);

  const scrollTo: VirtualList['scrollTo'] = (index, align) => {
    target.current = { index, align };
    redraw();
  };

  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const listen = (): void => redraw();
    current.addEventListener('scroll', listen, { passive: true });
    const observer = new ResizeObserver(listen);
    observer.observe(current);
    return () => {
      current.removeEventListener('scroll', listen);
      observer.disconnect();
    };
  }, []);

  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    let before = 0;
    let hasChanged = false;
    for (const item of current.querySelectorAll<HTMLElement>('[data-index]')) {
      const index = Number(item.dataset['index']);
      const size = isHorizontal ? item.offsetWidth : item.offsetHeight;
      const former = (layout.starts[index + 1] ?? 0) - (layout.starts[index] ?? 0);
      if (size === 0 || size === former) continue;
      sizes.current.set(options.key(index), size);
      hasChanged = true;
      // What is seen stays where it is when something before it has another size than estimated.
      if (index < first) before += size - former;
    }
    const wanted = target.current;
    if (wanted === undefined && before !== 0 && !isHorizontal) current.scrollTop += before;
    if (wanted !== undefined) {
      const now = layoutOf(options, sizes.current).starts;
      const start = now[wanted.index] ?? 0;
      const end = now[wanted.index + 1] ?? start;
      const place = isHorizontal ? current.scrollLeft : current.scrollTop;
      const room = isHorizontal ? current.clientWidth : current.clientHeight;
      const next =
        wanted.align === 'center'
          ? (start + end - room) / 2
          : start - coveredPixels < place
            ? start - coveredPixels
            : end + 8 > place + room
              ? end + 8 - room
              : place;
      if (!hasChanged) target.current = undefined;
      if (isHorizontal) current.scrollLeft = next;
      else current.scrollTop = next;
      if ((isHorizontal ? current.scrollLeft : current.scrollTop) !== place) redraw();
    }
    if (hasChanged) redraw();
  });

  return {
    items: [...indexes].sort((a, b) => a - b).map((index) => ({ index, start: layout.starts[index] ?? 0 })),
    first,
    offset,
    startOf: (index) => layout.starts[index] ?? 0,
    totalPixels: layout.starts[count] ?? 0,
    scrollTo,
  };
}

function layoutOf(options: VirtualOptions, sizes: ReadonlyMap<string | number, number>): Layout {
  const { count, estimate, key } = options;
  const starts = new Float64Array(count + 1);
  for (let index = 0; index < count; index += 1)
    starts[index + 1] = (starts[index] ?? 0) + (sizes.get(key(index)) ?? estimate(index));
  return {
    starts,
    at: (pixels) => {
      let low = 0;
      let high = count;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((starts[middle + 1] ?? 0) <= pixels) low = middle + 1;
        else high = middle;
      }
      return Math.max(0, Math.min(low, count - 1));
    },
  };
}
