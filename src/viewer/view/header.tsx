import type { JSX, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TokenPrices, TokenUsage } from '../../core/tool/index.ts';
import type { RunRecord } from '../../record/index.ts';
import { type FilterName, filterNames, filters } from '../model/totals.ts';
import { visible } from '../model/visible.ts';
import { costOf, count, duration, many, money, percent } from '../model/words.ts';
import { Icon } from './parts/parts.tsx';
import { useStore } from './store/store.ts';
import { otherTheme, toggleTheme } from './store/theme.ts';

/** Title, sentence, search. */
export function Header(): VNode {
  const store = useStore();
  const record = store.record.value;
  const { root } = record;
  const theme = otherTheme();
  const started = new Date(record.startedAtMs).toISOString().slice(0, 16).replace('T', ' ');
  const outcome = root.outcome ?? (store.feed.value === 'live' ? 'running' : 'not ended');
  return (
    <header class="top">
      <h1>
        {visible(root.agent ?? root.promptName)}
        <small>
          {[root.prompt.namespace, record.runId, `${started} UTC`, root.model, outcome]
            .filter((part) => part !== '')
            .map(visible)
            .join(' · ')}
        </small>
      </h1>
      <p class="sentence">
        <Sentence isLive />
      </p>
      <div class="tools">
        <Search />
        <button class="button" aria-label={`Change to the ${theme} theme`} onClick={toggleTheme}>
          {theme === 'dark' ? 'Dark' : 'Light'}
        </button>
        <button
          class="button"
          aria-label="Keys and marks"
          aria-haspopup="dialog"
          onClick={() => (store.isHelpOpen.value = true)}
        >
          ?
        </button>
      </div>
      <Notices />
    </header>
  );
}

/** The run in one sentence: each count is a legend, and with `isLive` a filter. */
export function Sentence({ isLive }: { readonly isLive: boolean }): JSX.Element {
  const store = useStore();
  const record = store.record.value;
  const totals = store.totals.value;
  const { root } = record;
  const counts = filterNames.filter(
    (name) => name !== 'asked' && (totals.counts[name] > 0 || name === 'committed' || name === 'rolled-back'),
  );
  return (
    <>
      <b>
        {many(totals.calls, 'call')} in {many(totals.turns, 'turn')}
      </b>
      {counts.map((name, index) => (
        <>
          {index === 1 && name === 'again' ? ', ' : ' · '}
          <Count name={name} isLive={isLive} />
        </>
      ))}
      {' · '}
      <b>{duration(totals.workMs)}</b>
      {totals.workMs < totals.inAllMs ? ` of work, ${duration(totals.inAllMs)} in all` : null}
      {totals.counts.asked > 0 ? (
        <>
          {', '}
          <Count name="asked" isLive={isLive} />
        </>
      ) : null}
      {root.usage === undefined ? null : ` · ${usageWords(root.usage, root.prices)}`}
    </>
  );
}

function usageWords(usage: TokenUsage, prices: TokenPrices | undefined): string {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens } = usage;
  if (inputTokens + outputTokens === 0) return 'no tokens counted';
  const cached =
    cachedInputTokens === undefined ? '' : ` (${percent(cachedInputTokens, inputTokens)} % cached)`;
  const cost = prices === undefined ? '' : `, costs ${money(costOf(usage, prices))}`;
  return `${count(inputTokens)} tokens in${cached}, ${count(outputTokens)} out${cost}`;
}

function Count({ name, isLive }: { readonly name: FilterName; readonly isLive: boolean }): VNode {
  const store = useStore();
  const filter = filters[name];
  const totals = store.totals.value;
  const words = `${name === 'asked' ? duration(totals.askedMs).replace('.0 s', ' s') : count(totals.counts[name])} ${filter.label}`;
  const content = (
    <>
      <Icon mark={filter.mark} />
      {words}
    </>
  );
  if (!isLive) return <span class="count">{content}</span>;
  const isPressed = store.filter.value === name;
  const choose = (): void => void (store.filter.value = isPressed ? undefined : name);
  return (
    <button class="count" aria-pressed={isPressed} onClick={choose}>
      {content}
    </button>
  );
}

function Search(): VNode {
  const store = useStore();
  const input = useRef<HTMLInputElement>(null);
  const query = store.query.value;
  useLayoutEffect(() => {
    // The text is kept as it was typed unless the search was cleared.
    if (query === '' && input.current !== null && input.current.value.trim() !== '') input.current.value = '';
  }, [query]);
  const isNarrowed = query !== '' || store.filter.value !== undefined;
  return (
    <label class={isNarrowed ? 'search narrowed' : 'search'}>
      <span class="spoken">Search the run</span>
      <input
        ref={input}
        id="search"
        type="text"
        placeholder="Search everything"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => (store.query.value = event.currentTarget.value.trim().toLowerCase())}
      />
      <span aria-live="polite">
        {isNarrowed ? `${count(store.rows.value.matching)} of ${count(store.totals.value.calls)}` : '/'}
      </span>
    </label>
  );
}

/** What a reader has to know about the record itself. */
function Notices(): VNode | null {
  const store = useStore();
  const record = store.record.value;
  const feed = store.feed.value;
  const damage = store.damage.value;
  const { root } = record;
  const unknown = Object.entries(record.unknownRows);
  const notices = [
    feed === 'live' ? 'Live: rows are added as the run writes them.' : undefined,
    feed === 'lost'
      ? 'The command that served this page has ended; what was read until then is shown.'
      : undefined,
    record.isRedacted
      ? 'Redacted: secrets and private texts were replaced where there were some.'
      : undefined,
    damage === undefined ? undefined : `Damaged: ${visible(damage)} What comes before is shown.`,
    !record.isComplete && feed !== 'live' && damage === undefined
      ? 'Incomplete: the record ends before the run does. Calls without an end are marked as not ended.'
      : undefined,
    record.cancelled === undefined ? undefined : cancelledText(record.cancelled),
    root.outcome === 'suspended' && record.cancelled === undefined
      ? 'Suspended: the run waits for answers to its questions.'
      : undefined,
    record.isTorn && damage === undefined
      ? 'The last line was cut off while it was written, and is left out.'
      : undefined,
    unknown.length > 0
      ? `Not shown: rows of types that this version does not know (${unknown
          .map(([type, rows]) => `${visible(type)} ${rows}`)
          .join(', ')}).`
      : undefined,
  ].filter((notice) => notice !== undefined);
  if (notices.length === 0) return null;
  return (
    <ul class="notices" aria-label="About this record">
      {notices.map((notice) => (
        <li key={notice}>{notice}</li>
      ))}
    </ul>
  );
}

function cancelledText({ by, reason }: NonNullable<RunRecord['cancelled']>): string {
  const who = by === undefined ? '' : ` by ${visible(by)}`;
  return `Cancelled${who}${reason === undefined ? '' : `: ${visible(reason)}`}.`;
}
