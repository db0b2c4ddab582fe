import type { Store } from './store/store.ts';
import { tabList } from './store/store.ts';
import { toggleTheme } from './store/theme.ts';

/** Listens to the keys of the page, until the page ends. */
export function startKeyboard(store: Store): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    const target = event.target instanceof Element ? event.target : undefined;
    const isTyping = target?.matches('input:not([type=range])') ?? false;
    if (event.key === 'Escape') {
      if (store.isHelpOpen.value) return;
      if (isTyping && target instanceof HTMLElement) target.blur();
      store.clear();
      return;
    }
    if (isTyping) {
      if (event.key === 'Enter') selectMatch(store);
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || store.isHelpOpen.value) return;
    const tree = target?.closest('[role=tree]') ?? undefined;
    if (!press(event.key, store, tree !== undefined)) return;
    event.preventDefault();
  });
}

/** The first call that the search found. */
function selectMatch(store: Store): void {
  const query = store.query.value;
  const row = store.rows.value.rows.find(({ kind }) => kind === 'call') ?? store.rows.value.rows[0];
  if (query !== '' && row !== undefined) store.select(row.id, { detail: true, focus: true });
}

type Action = (store: Store, isInTree: boolean) => unknown;

const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['j', (store, isInTree) => store.moveRow(1, isInTree)],
  ['k', (store, isInTree) => store.moveRow(-1, isInTree)],
  ['n', (store) => store.moveProblem(1)],
  ['p', (store) => store.moveProblem(-1)],
  ['[', (store) => store.moveState(-1)],
  [']', (store) => store.moveState(1)],
  ['/', () => document.querySelector<HTMLElement>('#search')?.focus()],
  ['?', (store) => (store.isHelpOpen.value = true)],
  ['t', toggleTheme],
]);

const pageRows = 20;

const treeActions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['ArrowDown', (store) => store.moveRow(1, true)],
  ['ArrowUp', (store) => store.moveRow(-1, true)],
  ['PageDown', (store) => store.moveRow(pageRows, true)],
  ['PageUp', (store) => store.moveRow(-pageRows, true)],
  ['ArrowLeft', (store) => store.fold(false, true)],
  ['ArrowRight', (store) => store.fold(true, true)],
  ['Home', (store) => store.selectEdge('first', true)],
  ['End', (store) => store.selectEdge('last', true)],
  ['Enter', openPane],
]);

function openPane(store: Store): void {
  store.wantsTimeline.value = false;
  document.querySelector<HTMLElement>('#pane')?.focus();
}

/** Does what a key means; false: nothing. */
function press(key: string, store: Store, isInTree: boolean): boolean {
  const tab = /^[1-5]$/.test(key) ? tabList[Number(key) - 1] : undefined;
  if (tab !== undefined) {
    store.showTab(tab);
    return true;
  }
  const act = actions.get(key) ?? (isInTree ? treeActions.get(key) : undefined);
  act?.(store, isInTree);
  return act !== undefined;
}
