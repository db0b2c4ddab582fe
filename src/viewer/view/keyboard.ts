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

/** Does what a key means; false: nothing. */
function press(key: string, store: Store, isInTree: boolean): boolean {
  const tab = tabList[Number(key) - 1];
  if (/^[1-4]$/.test(key) && tab !== undefined) {
    store.showTab(tab);
    return true;
  }
  switch (key) {
    case 'j':
      store.moveRow(1, isInTree);
      return true;
    case 'k':
      store.moveRow(-1, isInTree);
      return true;
    case 'n':
      store.moveProblem(1);
      return true;
    case 'p':
      store.moveProblem(-1);
      return true;
    case '[':
      store.moveState(-1);
      return true;
    case ']':
      store.moveState(1);
      return true;
    case '/':
      document.querySelector<HTMLElement>('#search')?.focus();
      return true;
    case '?':
      store.isHelpOpen.value = true;
      return true;
    case 't':
      toggleTheme();
      return true;
    default:
      return isInTree && pressInTree(key, store);
  }
}

const pageRows = 20;

function pressInTree(key: string, store: Store): boolean {
  switch (key) {
    case 'ArrowDown':
      store.moveRow(1, true);
      return true;
    case 'ArrowUp':
      store.moveRow(-1, true);
      return true;
    case 'PageDown':
      store.moveRow(pageRows, true);
      return true;
    case 'PageUp':
      store.moveRow(-pageRows, true);
      return true;
    case 'ArrowLeft':
      store.fold(false, true);
      return true;
    case 'ArrowRight':
      store.fold(true, true);
      return true;
    case 'Home':
      store.selectEdge('first', true);
      return true;
    case 'End':
      store.selectEdge('last', true);
      return true;
    case 'Enter':
      store.isDetail.value = true;
      document.querySelector<HTMLElement>('#pane')?.focus();
      return true;
    default:
      return false;
  }
}
