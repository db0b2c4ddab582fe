import { render } from 'preact';
import type { RunRecord } from '../../record/index.ts';
import { App } from './app.tsx';
import { startKeyboard } from './keyboard.ts';
import { Store } from './store/store.ts';
import { startTheme } from './store/theme.ts';

/** Shows a record in the page. `fragment`: the part of the address after `#`, which may name a place in it. */
export function startPage(record: RunRecord, file: string, fragment: string): Store {
  const store = new Store(record, file);
  startTheme();
  store.visit(fragment);
  render(<App store={store} />, root());
  startKeyboard(store);
  // The address of the event: the page may have written its own since.
  addEventListener('hashchange', ({ newURL }) => store.visit(new URL(newURL).hash));
  return store;
}

/** Says in the page why there is nothing to show. */
export function showProblem(message: string): void {
  startTheme();
  render(
    <div class="problem" role="alert">
      <h1>The record cannot be shown</h1>
      <p>{message}</p>
    </div>,
    root(),
  );
}

/** Says that the first lines are awaited. */
export function showWaiting(): void {
  startTheme();
  render(
    <div class="problem" role="status">
      <h1>Waiting for the record</h1>
      <p>The run has written nothing yet.</p>
    </div>,
    root(),
  );
}

function root(): HTMLElement {
  const element = document.getElementById('app');
  if (element === null) throw new Error('The page has no element "app".');
  return element;
}
