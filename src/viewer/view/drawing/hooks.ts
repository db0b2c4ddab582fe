import type { VNode } from 'preact';
import { afterDrawing, currentComponent, drawAgain, nextHook } from './draw.ts';
import type { Component } from './element.ts';

/** A box that stays the same in all drawings of the component; as `ref` of an element it holds that, or null. */
export function useRef<T>(initial: T): { current: T } {
  const hook = nextHook();
  hook.value ??= { current: initial };
  return hook.value as { current: T }; // As it was made.
}

/** A value that is made again when one of the inputs is another one. */
export function useMemo<T>(make: () => T, inputs: readonly unknown[]): T {
  const hook = nextHook();
  if (!isSame(hook.inputs, inputs)) hook.value = make();
  hook.inputs = inputs;
  return hook.value as T; // As it was made.
}

/**
 * Does something when the page is drawn, before it is seen: after every drawing, or when one of the inputs is another one.
 *
 * @param effect what it returns is called before the next time, and when the component ends.
 */
export function useEffect(effect: () => (() => void) | void, inputs?: readonly unknown[]): void {
  const hook = nextHook();
  if (inputs !== undefined && isSame(hook.inputs, inputs)) return;
  hook.inputs = inputs;
  afterDrawing(() => {
    hook.end?.();
    hook.end = effect();
  });
}

/** What draws the component again. */
export function useRedraw(): () => void {
  const drawn = currentComponent();
  return () => drawAgain(drawn);
}

/** The props of the nearest component of this type around the one that is drawn; undefined: there is none. */
export function useOuter<P>(component: (props: P) => VNode | null): P | undefined {
  let outer = currentComponent().outer;
  while (outer !== undefined && outer.type !== (component as Component)) outer = outer.outer;
  return outer?.props as P | undefined; // They were given to it.
}

function isSame(before: readonly unknown[] | undefined, after: readonly unknown[]): boolean {
  return before !== undefined && after.every((input, index) => Object.is(input, before[index]));
}
