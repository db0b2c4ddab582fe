import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Mark } from '../model/words.ts';
import { Icon } from './parts/parts.tsx';
import { useStore } from './store/store.ts';

const keys: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['j', 'k'], 'next and previous row'],
  [['←', '→'], 'fold and unfold a turn or a nested evaluation'],
  [['n', 'p'], 'next and previous problem'],
  [['[', ']'], 'state one change earlier or later'],
  [['1', '2', '3', '4'], 'call or turn, state, policies, problems'],
  [['/'], 'search names, arguments, results, files, policies'],
  [['Esc'], 'clear search and filter'],
  [['t'], 'light or dark'],
];

const meanings: readonly (readonly [mark: Mark, meaning: string])[] = [
  ['ok', 'committed: state and files landed'],
  ['rolled-back', 'rolled back: it failed, nothing is left'],
  ['denied', 'denied by a policy or a person'],
  ['rejected', 'rejected before it started, or aborted with the run'],
  ['superseded', 'superseded attempt: what it read had changed'],
  ['ask', 'waited for a person'],
  ['running', 'not ended in this record'],
];

/** Keys and marks. */
export function Help(): VNode {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = store.isHelpOpen.value;
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={() => (store.isHelpOpen.value = false)}>
      <h2 id="help-title">Keys</h2>
      <dl>
        {keys.map(([names, meaning]) => (
          <>
            <dt>
              {names.map((name) => (
                <>
                  <kbd>{name}</kbd>{' '}
                </>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
      <h2>Marks</h2>
      <dl>
        {meanings.map(([mark, meaning]) => (
          <>
            <dt>
              <Icon mark={mark} />
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button small">
          Close
        </button>
      </form>
    </dialog>
  );
}
