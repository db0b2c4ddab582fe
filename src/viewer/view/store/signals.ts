import { useEffect, useRedraw, useRef } from '../drawing/hooks.ts';

/** A value that the page shows, which may be replaced. */
export interface Signal<T> {
  value: T;
}

/** What `value` was when something was made of it. */
type Inputs = Map<{ readonly value: unknown }, unknown>;

/** How often any signal has changed. */
let changes = 0;
/** Of what is being made now. */
let inputs: Inputs | undefined;
const listeners = new Set<() => void>();

/** A value; to set another one draws the page again, once for all that change in one step of the event loop. */
export function signal<T>(initial: T): Signal<T> {
  let current = initial;
  const self: Signal<T> = {
    get value() {
      inputs?.set(self, current);
      return current;
    },
    set value(next) {
      if (Object.is(next, current)) return;
      current = next;
      changes += 1;
      for (const listener of listeners) listener();
    },
  };
  return self;
}

/** A value that is made of others, and made again when it is read after one of them has changed. */
export function computed<T>(make: () => T): { readonly value: T } {
  let made: { readonly value: T; readonly of: Inputs } | undefined;
  let madeAt = -1;
  const self = {
    get value(): T {
      const outer = inputs;
      let result = made;
      if (result === undefined || madeAt !== changes) {
        const of: Inputs = new Map();
        inputs = undefined;
        const isSame =
          result !== undefined && [...result.of].every(([from, was]) => Object.is(from.value, was));
        inputs = of;
        try {
          if (result === undefined || !isSame) result = { value: make(), of };
        } finally {
          inputs = outer;
        }
        made = result;
        madeAt = changes;
      }
      outer?.set(self, result.value);
      return result.value;
    },
  };
  return self;
}

/** Draws the component, and all below it, when a signal has changed. */
export function useSignals(): void {
  const redraw = useRedraw();
  const drawnAt = changes;
  useEffect(() => {
    listeners.add(redraw);
    // A signal may have changed before it was listened to.
    if (drawnAt !== changes) redraw();
    return () => void listeners.delete(redraw);
  }, []);
}

/** A value of one component, which is drawn again when it is set. */
export function useSignal<T>(initial: T): Signal<T> {
  const redraw = useRedraw();
  const kept = useRef<Signal<T> | undefined>(undefined);
  if (kept.current === undefined) {
    let current = initial;
    kept.current = {
      get value() {
        return current;
      },
      set value(next) {
        if (Object.is(next, current)) return;
        current = next;
        redraw();
      },
    };
  }
  return kept.current;
}
