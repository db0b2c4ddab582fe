import type { ComponentChildren, VNode } from 'preact';
import type { Mark } from '../model/words.ts';
import { useEffect, useRef } from './drawing/hooks.ts';
import { Icon } from './parts/parts.tsx';
import { useStore } from './store/store.ts';

const keys: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['j', 'k'], 'next and previous row'],
  [['←', '→'], 'fold and unfold'],
  [['n', 'p'], 'next and previous problem'],
  [['[', ']'], 'state one change earlier or later'],
  [['1', '2', '3', '4', '5'], 'overview, call or turn, state, policies, problems'],
  [['/'], 'search the whole record'],
  [['Esc'], 'clear search and filter'],
  [['t'], 'light or dark'],
];

const marks: readonly (readonly [mark: Mark, meaning: string])[] = [
  ['ok', 'committed: state and files landed'],
  ['rolled-back', 'rolled back: it failed, nothing is left'],
  ['denied', 'denied by a policy or a person'],
  ['rejected', 'rejected before it started, or aborted'],
  ['superseded', 'superseded: what it read had changed'],
  ['ask', 'waited for a person'],
  ['running', 'not ended in this record'],
];

/** Keys and marks. */
export function Help(): VNode {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement | null>(null);
  const isOpen = store.isHelpOpen.value;
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={() => (store.isHelpOpen.value = false)}>
      <h2 id="help-title">Keys</h2>
      <Meanings of={keys} word={(names) => names.flatMap((name) => [<kbd>{name}</kbd>, ' '])} />
      <h2>Marks</h2>
      <Meanings of={marks} word={(mark) => <Icon mark={mark} />} />
      <form method="dialog">
        <button type="submit" class="button small">
          Close
        </button>
      </form>
    </dialog>
  );
}

function Meanings<T>(props: {
  readonly of: readonly (readonly [thing: T, meaning: string])[];
  readonly word: (thing: T) => ComponentChildren;
}): VNode {
  return (
    <dl>
      {props.of.map(([thing, meaning]) => (
        <>
          <dt>{props.word(thing)}</dt>
          <dd>{meaning}</dd>
        </>
      ))}
    </dl>
  );
}
