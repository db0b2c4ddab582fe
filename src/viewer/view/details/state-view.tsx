import type { JSX, VNode } from 'preact';
import { present } from '../../../core/internal/index.ts';
import type { RecordedSlice } from '../../../record/index.ts';
import { commitAt, isInternal, placeOf } from '../../model/steps.ts';
import { innerList, sliceTable } from '../../model/tables.ts';
import { visible } from '../../model/visible.ts';
import { clock, inline, many } from '../../model/words.ts';
import { FileTree } from '../files/file-tree.tsx';
import { DataTable, Value } from '../parts/data-table.tsx';
import { CallLink, Empty, Section } from '../parts/parts.tsx';
import { useStore } from '../store/store.ts';

const maxTicks = 120;

/** State and files after a commit, with a slider that stops at each commit that changed something. */
export function StateView(): JSX.Element {
  const store = useStore();
  const shows = store.showsLibrary.value;
  const own = store.slices.value.filter(({ name }) => !isInternal(name));
  const kept = store.slices.value.filter(({ name }) => isInternal(name));
  return (
    <>
      <h2 class="spoken">State</h2>
      <Slider />
      {own.length === 0 ? (
        <Section
          title="Slices"
          empty="The session has no slice of its own, or its slices were not recorded."
        />
      ) : (
        own.map((slice) => <SliceView key={slice.name} slice={slice} />)
      )}
      {kept.length === 0 ? null : (
        <p class="section">
          <button
            class="button small"
            role="switch"
            aria-checked={shows}
            onClick={() => (store.showsLibrary.value = !shows)}
          >
            Show what the library keeps
          </button>
        </p>
      )}
      {shows ? kept.map((slice) => <SliceView key={slice.name} slice={slice} />) : null}
      <FileTree />
    </>
  );
}

function Slider(): VNode {
  const store = useStore();
  const changes = store.changes.value;
  const place = placeOf(changes, store.seq.value);
  const change = changes[place - 1];
  const selected = commitAt(store.record.value, store.seq.value);
  const position =
    change === undefined ? 'before the first change' : `after ${change.call.id} ${change.call.toolName}`;
  const ticks = Math.min(changes.length, maxTicks);
  return (
    <div class="slider">
      <div class="control">
        <div class="ticks" aria-hidden="true">
          {Array.from({ length: ticks + 1 }, (_, index) => (
            <i
              key={index}
              class={index === 0 ? 'start' : (index * changes.length) / ticks <= place ? 'past' : ''}
            />
          ))}
        </div>
        <button
          class="button small"
          aria-label="Previous change"
          title="Previous change  ["
          onClick={() => store.moveState(-1)}
        >
          ‹
        </button>
        <input
          type="range"
          min={0}
          max={changes.length}
          value={place}
          aria-label="State after change"
          aria-valuetext={visible(position)}
          onInput={(event) => store.showState(changes[Number(event.currentTarget.value) - 1]?.seq ?? 0)}
        />
        <button
          class="button small"
          aria-label="Next change"
          title="Next change  ]"
          onClick={() => store.moveState(1)}
        >
          ›
        </button>
        <span class="mute position">
          {positionText(store.seq.value, store.record.value.commits.length, changes.length)}
        </span>
      </div>
      <p>
        {change === undefined ? (
          'As the run began.'
        ) : (
          <>
            After <CallLink call={change.call} /> <span class="mono">{visible(change.call.toolName)}</span>
            {` at ${clock(change.atMs)}, commit ${change.seq}`}
          </>
        )}
        {selected !== undefined && !selected.changes && selected !== change ? (
          <>
            {'; since then '}
            <CallLink call={selected.call} /> only read
          </>
        ) : null}
        .
      </p>
    </div>
  );
}

/** Where the reader is among all commits, and how many of them changed what is shown here. */
function positionText(seq: number, commits: number, changes: number): string {
  const where = seq === 0 ? `before ${many(commits, 'commit')}` : `commit ${seq} of ${commits}`;
  return `${where} (${changes} changed this)`;
}

function SliceView({ slice }: { readonly slice: RecordedSlice }): VNode {
  const store = useStore();
  const table = sliceTable(slice, store.record.value.commits, store.seq.value);
  const inner = innerList(slice.items.map(({ value }) => value));
  const writer = store.commit.value?.call;
  const note = `${slice.policy}${slice.isKeyed ? ', keyed' : ''} · ${many(table.rows.length, inner === undefined ? 'item' : inner.name.replace(/s$/, ''), inner?.name ?? 'items')}`;
  return (
    <Section title={<span class="mono">{visible(slice.name)}</span>} note={visible(note)}>
      {inner === undefined
        ? null
        : Object.entries(inner.rest).map(([name, value]) => (
            <p key={name} class="secondary">
              <span class="mute">{visible(name)}</span> {visible(inline(value))}
            </p>
          ))}
      {table.rows.length === 0 ? (
        <Empty>Nothing here yet.</Empty>
      ) : (
        <DataTable
          label={slice.name}
          columns={table.columns}
          hasWriter
          rows={table.rows.map(({ cells, writtenBy }) => ({
            cells: cells.map((value) => <Value value={value} />),
            ...present({
              by: writtenBy === undefined ? undefined : <CallLink call={writtenBy} />,
              kind: writtenBy !== undefined && writtenBy === writer ? ('new' as const) : undefined,
            }),
          }))}
        />
      )}
    </Section>
  );
}
