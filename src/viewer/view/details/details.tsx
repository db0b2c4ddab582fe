import type { JSX, VNode } from 'preact';
import type { Tab } from '../../model/address.ts';
import { count } from '../../model/words.ts';
import { useEffect, useRef } from '../drawing/hooks.ts';
import { tabList, useStore } from '../store/store.ts';
import { CallView } from './call-view.tsx';
import { Overview } from './overview.tsx';
import { PolicyView } from './policy-view.tsx';
import { ProblemView } from './problem-view.tsx';
import { StateView } from './state-view.tsx';
import { TurnView } from './turn-view.tsx';

/** The right side: tabs, and the view of the chosen one. */
export function Details(): VNode {
  const store = useStore();
  const pane = useRef<HTMLDivElement | null>(null);
  const tab = store.tab.value;
  const selected = store.selected.value;
  useEffect(() => {
    if (pane.current !== null) pane.current.scrollTop = 0;
  }, [tab, selected]);
  return (
    <section class="right" aria-label="Details">
      <Tabs />
      <div class="pane" id="pane" ref={pane} role="tabpanel" tabIndex={-1} aria-labelledby={`tab-${tab}`}>
        <View key={tab === 'detail' ? `detail ${selected ?? ''}` : tab} />
      </div>
    </section>
  );
}

function View(): JSX.Element {
  const store = useStore();
  // A call that continues is the same object in the next reading of a record.
  void store.record.value;
  switch (store.tab.value) {
    case 'overview':
      return <Overview />;
    case 'state':
      return <StateView />;
    case 'policies':
      return <PolicyView />;
    case 'problems':
      return <ProblemView />;
    case 'detail': {
      const call = store.call.value;
      if (call !== undefined) return <CallView call={call} />;
      const turn = store.turn.value;
      if (turn !== undefined) return <TurnView turn={turn} />;
      return (
        <div class="none">
          <b>Nothing selected</b>
          Choose a turn or a call in the timeline, or press j.
        </div>
      );
    }
  }
}

/** On a narrow screen the timeline is one of the views. */
const narrowTabs: readonly (Tab | 'timeline')[] = ['overview', 'timeline', ...tabList.slice(1)];

function Tabs(): VNode {
  const store = useStore();
  const list = useRef<HTMLDivElement | null>(null);
  const titles: Readonly<Record<Tab | 'timeline', string>> = {
    overview: 'Overview',
    timeline: 'Timeline',
    detail: store.call.value === undefined ? 'Turn' : 'Call',
    state: 'State',
    policies: 'Policies',
    problems: 'Problems',
  };
  const shown = store.isNarrow.value ? narrowTabs : tabList;
  const selected = store.isTimeline.value ? 'timeline' : store.tab.value;
  const show = (name: Tab | 'timeline'): void => {
    if (name === 'timeline') store.wantsTimeline.value = true;
    else store.showTab(name);
  };
  useEffect(() => {
    list.current?.querySelector(`#tab-${selected}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [selected]);
  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = shown[(shown.indexOf(selected) + by + shown.length) % shown.length];
    if (by === 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    show(next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label="Details" ref={list} onKeyDown={move}>
        {shown.map((name) => (
          <button
            key={name}
            role="tab"
            id={`tab-${name}`}
            aria-controls={name === 'timeline' ? 'timeline' : 'pane'}
            aria-selected={selected === name}
            tabIndex={selected === name ? 0 : -1}
            onClick={() => show(name)}
          >
            {titles[name]}
            {name === 'problems' ? <span class="badge-count">{count(store.failures.value)}</span> : null}
          </button>
        ))}
      </div>
    </div>
  );
}
