import type { JSX, VNode } from 'preact';
import { present } from '../../../core/internal/index.ts';
import type { RecordedAttempt, RecordedCall } from '../../../record/index.ts';
import { type ChangedCell, type SliceChange, sliceChanges } from '../../model/slice-changes.ts';
import { isInternal, seqOfCall } from '../../model/steps.ts';
import { visible } from '../../model/visible.ts';
import { inline, many } from '../../model/words.ts';
import { DataTable, Value } from '../parts/data-table.tsx';
import { Capped, Section } from '../parts/parts.tsx';
import { useStore } from '../store/store.ts';
import { FileDiff } from './file-diff.tsx';

const fileLimit = 30;

/** What an attempt changed, or would have changed; and what it added to logs, which stays. */
export function Changes(props: {
  readonly call: RecordedCall;
  readonly attempt: RecordedAttempt;
}): JSX.Element {
  const { call, attempt } = props;
  const store = useStore();
  const { files, writes, log } = attempt;
  const landed = attempt.outcome === 'committed';
  const before = landed
    ? seqOfCall(store.record.value, call) - 1
    : (attempt.base ?? seqOfCall(store.record.value, call));
  const slices = writes.length === 0 ? [] : store.record.value.stateAt(Math.max(0, before));
  const changes = sliceChanges(writes, slices);
  const tables = changes.filter(({ slice }) => !isInternal(slice));
  const books = changes.filter(({ slice }) => isInternal(slice));
  const amount = files.length + tables.length;
  const body = (
    <>
      {tables.map((change) => (
        <SliceTable key={change.slice} change={change} landed={landed} />
      ))}
      <Capped items={files} limit={fileLimit} noun="file">
        {(change) => <FileDiff key={change.path} change={change} />}
      </Capped>
    </>
  );
  const kept = log.length > 0 && attempt.outcome !== 'superseded';
  return (
    <>
      {amount === 0 ? (
        <Section title="Changes" empty={whyNothing(call, attempt)} />
      ) : landed ? (
        <Section title="Changes" note={call.seq === undefined ? 'inside another call' : `commit ${call.seq}`}>
          {call.isFinal ? null : (
            <p class="mute">
              Inside the view of the call around it, which was not committed: nothing of it is left.
            </p>
          )}
          {call.isFinal ? body : <div class="ghost">{body}</div>}
        </Section>
      ) : (
        <Section title="Would have changed" note={`${many(amount, 'change')} discarded`}>
          <div class="ghost">
            <p>{whyGone(call, attempt)}</p>
            {body}
          </div>
        </Section>
      )}
      {store.showsLibrary.value
        ? books.map((change) => <SliceTable key={change.slice} change={change} landed={false} />)
        : null}
      {kept ? (
        <Section title="Logged" note={landed ? undefined : 'a log keeps what a rolled-back call wrote'}>
          {sliceChanges(
            log.map(({ slice, items }) => ({ slice, op: 'append', items })),
            [],
          ).map((change) => (
            <SliceTable key={change.slice} change={change} landed />
          ))}
        </Section>
      ) : null}
    </>
  );
}

function whyNothing({ effects }: RecordedCall, { outcome }: RecordedAttempt): string {
  return outcome === 'committed' && effects === 'external'
    ? 'Nothing inside. What it did outside is not undone by anything that happens later.'
    : nothing[outcome];
}

const nothing: Readonly<Record<RecordedAttempt['outcome'], string>> = {
  committed: 'The call read, and changed neither state nor files.',
  rejected: 'It never started.',
  denied: 'It was refused before its handler ran, and nothing was staged.',
  'rolled-back': 'The handler had changed nothing when it failed.',
  aborted: 'The run ended before the call had changed anything.',
  superseded: 'Nothing was staged.',
};

function whyGone(call: RecordedCall, attempt: RecordedAttempt): string {
  switch (attempt.outcome) {
    case 'superseded':
      return 'Made from a stale view and discarded; the next attempt made its own changes.';
    case 'denied':
      return `Staged, then refused${call.policy === undefined ? '' : ` by ${call.policy}`}. State and files are as before.`;
    case 'aborted':
      return 'Staged when the run ended. State and files are as before.';
    default:
      return 'Written before the failure, then rolled back. State and files are as before.';
  }
}

/** What was done to one slice, against what it held before. */
function SliceTable({ change, landed }: { readonly change: SliceChange; readonly landed: boolean }): VNode {
  const { slice, words, rest, columns, rows, gone, removedKeys } = change;
  const caption = (
    <>
      <span class="mono">{visible(slice)}</span> {words}
      {Object.entries(rest).map(([name, value]) => ` · ${visible(name)}: ${visible(inline(value))}`)}
      {removedKeys.length > 0
        ? `: ${visible(removedKeys.join(', '))}`
        : gone > 0
          ? ` · ${many(gone, 'item')} gone`
          : ''}
    </>
  );
  if (rows.length === 0) return <p class="write">{caption}</p>;
  return (
    <DataTable
      caption={caption}
      label={slice}
      columns={columns}
      rows={rows.map(({ kind, cells }) => ({
        cells: cells.map((cell) => <Cell cell={cell} />),
        ...present({
          kind: kind === 'same' ? ('mute' as const) : landed ? ('new' as const) : undefined,
        }),
      }))}
    />
  );
}

function Cell({ cell }: { readonly cell: ChangedCell }): JSX.Element {
  if (cell.before === undefined) return <Value value={cell.value} />;
  return (
    <>
      <del>
        <Value value={cell.before.value} />
      </del>
      {' → '}
      <ins>
        <Value value={cell.value} />
      </ins>
    </>
  );
}
