import type { JSX, VNode } from 'preact';
import type { RecordedAttempt, RecordedCall, RecordedSlice } from '../../record/index.ts';
import type { JsonObject, JsonValue } from '../../schema/index.ts';
import { type SliceEdit, toEdits } from '../model/slice-edits.ts';
import { seqOfCall } from '../model/steps.ts';
import { cellsOf, columnsOf, identityOf, innerList, isObject } from '../model/tables.ts';
import { visible } from '../model/visible.ts';
import { inline, many } from '../model/words.ts';
import { type DataRow, DataTable, Value } from './data-table.tsx';
import { FileDiff } from './file-diff.tsx';
import { Capped, Empty, Section } from './parts.tsx';
import { useStore } from './store.ts';

const fileLimit = 30;

/** What an attempt changed, or would have changed; and what it added to logs, which stays. */
export function Changes({
  call,
  attempt,
}: {
  readonly call: RecordedCall;
  readonly attempt: RecordedAttempt;
}): JSX.Element {
  const store = useStore();
  const { files, writes, log } = attempt;
  const landed = attempt.outcome === 'committed';
  const amount = files.length + writes.length;
  const before = landed
    ? seqOfCall(store.record.value, call) - 1
    : (attempt.base ?? seqOfCall(store.record.value, call));
  const slices = writes.length === 0 ? [] : store.record.value.stateAt(Math.max(0, before));
  const body = (
    <>
      {toEdits(writes).map((write, index) => (
        <WriteTable
          key={index}
          write={write}
          former={slices.find(({ name }) => name === write.slice)}
          landed={landed}
        />
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
        <Section title="Changes">
          <Empty>{whyNothing(call, attempt)}</Empty>
        </Section>
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
      {kept ? (
        <Section title="Logged" note={landed ? undefined : 'a log keeps what a rolled-back call wrote'}>
          {log.map(({ slice, items }) => (
            <WriteTable
              key={slice}
              write={{ slice, op: 'append', items, keys: [] }}
              former={undefined}
              landed
            />
          ))}
        </Section>
      ) : null}
    </>
  );
}

function whyNothing(call: RecordedCall, attempt: RecordedAttempt): string {
  switch (attempt.outcome) {
    case 'committed':
      return call.effects === 'external'
        ? 'Nothing inside. What it did outside is not undone by anything that happens later.'
        : 'The call read, and changed neither state nor files.';
    case 'rejected':
      return 'It never started.';
    case 'denied':
      return 'It was refused before its handler ran, and nothing was staged.';
    case 'rolled-back':
      return 'The handler had changed nothing when it failed.';
    case 'aborted':
      return 'The run ended before the call had changed anything.';
    case 'superseded':
      return 'Nothing was staged.';
  }
}

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

/** One write to a slice, against what the slice held before. */
function WriteTable(props: {
  readonly write: SliceEdit;
  readonly former: RecordedSlice | undefined;
  readonly landed: boolean;
}): VNode {
  const { write, former, landed } = props;
  const caption = (
    <>
      <span class="mono">{visible(write.slice)}</span> {write.op}
    </>
  );
  if (write.op === 'clear') return <p class="write">{caption}: all items removed</p>;
  if (write.op === 'remove')
    return (
      <p class="write">
        {caption}: <span class="mono">{visible(write.keys.join(', '))}</span>
      </p>
    );
  const { items } = write;
  const inner = innerList(items);
  const old = former?.items.map(({ value }) => value) ?? [];
  const oldInner = innerList(old);
  const list = inner?.list ?? items;
  const formerList: readonly JsonValue[] = inner === undefined ? old : (oldInner?.list ?? []);
  const columns = columnsOf(list);
  const objects = list.filter(isObject);
  const identity = former?.identity ?? (objects.length === list.length ? identityOf(objects) : undefined);
  const rows = list.map(
    (item): DataRow => rowOf(item, columns, write.op === 'replace' ? formerList : [], identity, landed),
  );
  const gone =
    write.op === 'replace' ? formerList.length - rows.filter(({ kind }) => kind === 'mute').length : 0;
  return (
    <DataTable
      caption={
        <>
          {caption}
          {inner === undefined
            ? null
            : Object.entries(inner.rest).map(([name, value]) => (
                <span key={name}>{` · ${visible(name)}: ${visible(inline(value))}`}</span>
              ))}
          {rows.length === 0 ? ` with nothing, ${many(gone, 'item')} removed` : ''}
        </>
      }
      label={write.slice}
      columns={columns}
      rows={rows}
    />
  );
}

function rowOf(
  item: JsonValue,
  columns: readonly string[],
  former: readonly JsonValue[],
  identity: string | undefined,
  landed: boolean,
): DataRow {
  const text = JSON.stringify(item);
  const isSame = former.some((other) => JSON.stringify(other) === text);
  const id = identity === undefined || !isObject(item) ? undefined : item[identity];
  const was =
    id === undefined || isSame || identity === undefined
      ? undefined
      : former.find((other): other is JsonObject => isObject(other) && other[identity] === id);
  const old = was === undefined ? undefined : cellsOf(was, columns);
  const cells = cellsOf(item, columns).map((value, index) => {
    const before = old?.[index];
    if (old === undefined || JSON.stringify(before) === JSON.stringify(value)) return <Value value={value} />;
    return (
      <>
        <del>
          <Value value={before} />
        </del>
        {' → '}
        <ins>
          <Value value={value} />
        </ins>
      </>
    );
  });
  if (isSame) return { cells, kind: 'mute' };
  return landed ? { cells, kind: 'new' } : { cells };
}
