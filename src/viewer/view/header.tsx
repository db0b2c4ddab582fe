import type { JSX, VNode } from 'preact';
import { runCost } from '../../record/index.ts';
import { outcomeStyles } from '../model/outcome.ts';
import { dateText, modelsOf, openQuestions, usageOf } from '../model/overview.ts';
import { type FilterName, filterNames, filters } from '../model/totals.ts';
import { visible } from '../model/visible.ts';
import { costOf, count, duration, many, money, percent } from '../model/words.ts';
import { useEffect, useRef } from './drawing/hooks.ts';
import { Icon } from './parts/parts.tsx';
import { useSignal } from './store/signals.ts';
import { useStore } from './store/store.ts';
import { otherTheme, toggleTheme } from './store/theme.ts';

/** What became of the run and why, before everything else; then how its calls ended. */
export function Header(): VNode {
  const store = useStore();
  const record = store.record.value;
  const { root } = record;
  const { kind } = store.outcome.value;
  const theme = otherTheme();
  const { word, path } = outcomeStyles[kind];
  // What a narrow screen leaves out is marked.
  const meta = [
    [root.prompt.namespace, true],
    [record.runId, true],
    [dateText(record.startedAtMs), false],
    [modelsOf(root), false],
  ] as const;
  return (
    <header class={`top ${kind}`}>
      <div class="head">
        <h1>{visible(root.agent ?? root.promptName)}</h1>
        <span class="state" role="status">
          <svg class="icon" viewBox="0 0 12 12" aria-hidden="true">
            <path d={path} />
          </svg>
          {word}
          {kind === 'running' ? ` ${duration(store.totals.value.inAllMs)}` : ''}
        </span>
        <p class="meta">
          {meta
            .filter(([text]) => text !== '')
            .map(([text, isMore]) => (
              <span key={text} class={isMore ? 'more' : ''}>
                {visible(text)}
              </span>
            ))}
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
      </div>
      <Reason />
      <p class="sentence">
        <Sentence />
      </p>
      <Notices />
    </header>
  );
}

/** What happened and why, in two lines; the rest when it is asked for. */
function Reason(): VNode | null {
  const store = useStore();
  const text = useRef<HTMLParagraphElement | null>(null);
  const isLong = useSignal(false);
  const isWhole = useSignal(false);
  const { kind, sentence, message, call } = store.outcome.value;
  useEffect(() => {
    const { current } = text;
    if (current !== null && !isWhole.value) isLong.value = current.scrollHeight > current.clientHeight + 1;
  });
  if (sentence === undefined) return null;
  const [question] = openQuestions(store.record.value);
  return (
    <div class="reason" role={kind === 'failed' ? 'alert' : 'note'} aria-label="Outcome">
      <p ref={text} class={isWhole.value ? '' : 'short'}>
        <b>{visible(sentence)}</b>
        {message === undefined ? null : kind === 'failed' ? (
          <>
            {' '}
            <code>{visible(message)}</code>
          </>
        ) : (
          ` ${visible(message)}`
        )}
      </p>
      <span class="go">
        {isLong.value ? (
          <button class="link" aria-expanded={isWhole.value} onClick={() => (isWhole.value = !isWhole.value)}>
            {isWhole.value ? 'less' : 'more'}
          </button>
        ) : null}
        {call === undefined ? null : (
          <button class="link" onClick={() => store.select(call.id, { detail: true })}>
            {question === undefined ? `Last call: ${visible(call.id)}` : `Show the ${question.about}`} →
          </button>
        )}
        {store.failures.value === 0 ? null : (
          <button class="link" onClick={() => store.showTab('problems')}>
            Problems →
          </button>
        )}
      </span>
    </div>
  );
}

/** The run in one sentence: each count is a legend and a filter. */
function Sentence(): JSX.Element {
  const store = useStore();
  const record = store.record.value;
  const totals = store.totals.value;
  const counts = filterNames.filter((name) => totals.counts[name] > 0);
  const times =
    duration(totals.workMs) +
    (totals.workMs < totals.inAllMs ? ` of work, ${duration(totals.inAllMs)} in all` : '');
  const parts = [
    `${many(totals.calls, 'call')} in ${many(totals.turns, 'turn')}`,
    times,
    ...usageWords(record.root),
  ];
  return (
    <>
      {counts.map((name) => (
        <Count key={name} name={name} />
      ))}
      <span class="figures">{parts.join(' · ')}</span>
    </>
  );
}

function usageWords(root: Parameters<typeof usageOf>[0]): readonly string[] {
  const usage = usageOf(root);
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens } = usage;
  if (inputTokens + outputTokens === 0) return [];
  const cached =
    cachedInputTokens === undefined ? '' : ` (${percent(cachedInputTokens, inputTokens)} % cached)`;
  const cost = runCost(root, usage, costOf);
  const costs = cost === undefined ? [] : [`costs ${money(cost)}`];
  return [`${count(inputTokens)} tokens in${cached}, ${count(outputTokens)} out`, ...costs];
}

function Count({ name }: { readonly name: FilterName }): VNode {
  const store = useStore();
  const filter = filters[name];
  const { counts, askedMs } = store.totals.value;
  const time = name === 'asked' && askedMs > 0 ? `, ${duration(askedMs).replace('.0 s', ' s')}` : '';
  const isPressed = store.filter.value === name;
  const choose = (): void => {
    store.filter.value = isPressed ? undefined : name;
    store.wantsTimeline.value = true;
  };
  return (
    <button class="count" aria-pressed={isPressed} onClick={choose}>
      <Icon mark={filter.mark} />
      {`${count(counts[name])} ${filter.label}${time}`}
    </button>
  );
}
function Search(): VNode {
  const store = useStore();
  const input = useRef<HTMLInputElement | null>(null);
  const query = store.query.value;
  useEffect(() => {
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
        placeholder={store.isNarrow.value ? 'Search' : 'Search everything'}
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
  const unknown = Object.entries(record.unknownRows);
  const notices = [
    feed === 'lost' ? 'The command that served this page has ended.' : undefined,
    damage === undefined ? undefined : `Damaged: ${visible(damage)} What comes before is shown.`,
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
