import { useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { Details } from './details/details.tsx';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { Print } from './print.tsx';
import { type Store, StoreProvider } from './store/store.ts';
import { Timeline } from './timeline/timeline.tsx';

const addressDelayMs = 80;

/** The whole page. */
export function App({ store }: { readonly store: Store }): VNode {
  useSignalEffect(() => {
    const address = store.address();
    // An address is for sharing, not a step to go back to. Browsers refuse when it changes as fast as keys repeat.
    const timer = setTimeout(() => {
      if (address !== '') history.replaceState(history.state, '', address);
    }, addressDelayMs);
    return () => clearTimeout(timer);
  });
  useSignalEffect(() => {
    const { root } = store.record.value;
    document.title = `${store.feed.value === 'live' ? '• ' : ''}${root.agent ?? root.promptName} · wink view`;
  });
  return (
    <StoreProvider value={store}>
      <div class={`page${store.isDetail.value ? ' detail' : ''}`}>
        <Header />
        <main>
          <Timeline />
          <Details />
        </main>
      </div>
      <Print />
      <Help />
    </StoreProvider>
  );
}
