import type { VNode } from 'preact';
import type { RunRecord } from '../../record/index.ts';
import type { RecordPlace } from '../model/commands.ts';
import { iconOf, outcomeStyles } from '../model/outcome.ts';
import { visible } from '../model/visible.ts';
import { Details } from './details/details.tsx';
import { draw } from './drawing/draw.ts';
import { useEffect } from './drawing/hooks.ts';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { startKeyboard } from './keyboard.ts';
import { useSignals } from './store/signals.ts';
import { Store, StoreProvider } from './store/store.ts';
import { startTheme } from './store/theme.ts';
import { Timeline } from './timeline/timeline.tsx';

/** Shows a record in the page. `fragment`: the part of the address after `#`, which may name a place in it. */
export function startPage(record: RunRecord, place: RecordPlace, fragment: string): Store {
  const store = new Store(record, place);
  startTheme();
  const narrow = matchMedia('(max-width: 760px)');
  const follow = (): void => void (store.isNarrow.value = narrow.matches);
  follow();
  narrow.addEventListener('change', follow);
  store.visit(fragment);
  draw(<App store={store} />, appElement());
  startKeyboard(store);
  // The address of the event: the page may have written its own since.
  addEventListener('hashchange', ({ newURL }) => store.visit(new URL(newURL).hash));
  return store;
}

const addressDelayMs = 80;

/** The whole page. */
function App({ store }: { readonly store: Store }): VNode {
  useSignals();
  const address = store.address();
  useEffect(() => {
    // An address is for sharing, not a step to go back to. Browsers refuse when it changes as fast as keys repeat.
    const timer = setTimeout(() => {
      if (address !== '') history.replaceState(history.state, '', address);
    }, addressDelayMs);
    return () => clearTimeout(timer);
  }, [address]);
  const { root } = store.record.value;
  const { kind } = store.outcome.value;
  useEffect(() => {
    document.title = visible(`${outcomeStyles[kind].sign} ${root.agent ?? root.promptName} · wink view`);
    const icon = document.querySelector('link[rel=icon]') ?? document.createElement('link');
    icon.setAttribute('rel', 'icon');
    icon.setAttribute('href', iconOf(kind));
    document.head.append(icon);
  }, [kind]);
  return (
    <StoreProvider value={store}>
      <div class={`page${store.isTimeline.value ? ' on-timeline' : ''}`}>
        <Header />
        <main>
          <Timeline />
          <Details />
        </main>
      </div>
      <Help />
    </StoreProvider>
  );
}

/** Says in the page why there is nothing to show. */
export function showProblem(message: string): void {
  showNotice('alert', 'The record cannot be shown', message);
}

/** Says that the first lines are awaited. */
export function showWaiting(): void {
  showNotice('status', 'Waiting for the record', 'The run has written nothing yet.');
}

function showNotice(role: 'alert' | 'status', title: string, text: string): void {
  startTheme();
  draw(
    <div class="problem" role={role}>
      <h1>{title}</h1>
      <p>{text}</p>
    </div>,
    appElement(),
  );
}

function appElement(): HTMLElement {
  const element = document.getElementById('app');
  if (element === null) throw new Error('The page has no element "app".');
  return element;
}
