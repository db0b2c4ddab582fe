import type { JSX, VNode } from 'preact';
import type { RecordedCall } from '../../../record/index.ts';
import {
  type PolicyCell,
  type PolicyMatrix,
  type PolicyRow,
  policyMatrix,
} from '../../model/policy-matrix.ts';
import { innerName } from '../../model/turns.ts';
import { visible } from '../../model/visible.ts';
import { brief, count, many } from '../../model/words.ts';
import { useEffect, useMemo, useRef } from '../drawing/hooks.ts';
import { DataTable } from '../parts/data-table.tsx';
import { CallTitle, Capped, Empty, Icon, Item, Section } from '../parts/parts.tsx';
import { useVirtual } from '../parts/virtual.ts';
import { useSignal } from '../store/signals.ts';
import { useStore } from '../store/store.ts';

const cellWidth = 14;
/** Every policy against every call of an evaluation. */
export function PolicyView(): JSX.Element {
  const store = useStore();
  const record = store.record.value;
  const run = store.call.value?.run ?? store.turn.value?.run ?? record.root;
  const matrix = useMemo(() => policyMatrix(run), [record, run]);
  const { calls, rows } = matrix;
  const denied = calls.filter(({ outcome }) => outcome === 'denied').length;
  const asked = calls.filter(({ approvals }) => approvals.length > 0).length;
  const weighty = rows.flatMap((row) =>
    [...row.cells]
      .filter(([, cell]) => cell.decision !== 'allow')
      .map(([index, cell]) => ({ row, index, cell, call: calls[index] })),
  );
  weighty.sort((left, right) => left.index - right.index);
  return (
    <>
      <div class="heading">
        <h2>Policies</h2>
      </div>
      <p class="lead">
        {run.index === 0
          ? 'Every policy against every call, in order.'
          : `Every policy against every call inside ${visible(run.parent?.call.id ?? '')} (${visible(innerName(run))}).`}
        {` ${many(denied, 'call')} refused, ${count(asked)} put to a person.`}
      </p>
      {rows.length === 0 ? (
        <Empty>The prompt has no policies, and none was asked.</Empty>
      ) : calls.length === 0 ? (
        <Empty>There was no call that a policy could be asked about.</Empty>
      ) : (
        <>
          <Matrix matrix={matrix} />
          <div class="key">
            <span>
              <span class="dot" />
              allowed its changes
            </span>
            <span>
              <Icon mark="ask" /> asked a person
            </span>
            <span>
              <Icon mark="denied" /> denied
            </span>
            {rows.some(({ counts }) => counts.unenforced > 0) ? (
              <span class="trial">
                <Icon mark="denied" /> not enforced
              </span>
            ) : null}
          </div>
          <Section
            title="Refused and asked"
            empty={weighty.length === 0 ? 'No policy refused a call or asked a person.' : undefined}
          >
            <Capped items={weighty} noun="decision">
              {({ row, cell, call, index }) => (
                <Item
                  key={`${index} ${row.policy}`}
                  mark={cell.decision === 'ask' ? 'ask' : 'denied'}
                  end={`${visible(row.policy)}${cell.decision === 'unenforced' ? ', not enforced' : ''}`}
                >
                  {call === undefined ? null : <CallTitle call={call} />}
                  <p>{visible(cell.answer.reason ?? '')}</p>
                </Item>
              )}
            </Capped>
          </Section>
          <Section title="In numbers">
            <DataTable
              label="Decisions of each policy"
              columns={['policy', 'allowed', 'asked', 'denied', 'not enforced', 'no objection']}
              rows={rows.map(({ policy, counts }) => ({
                cells: [
                  visible(policy),
                  count(counts.allow),
                  ...[counts.ask, counts.deny, counts.unenforced].map((times) =>
                    count(times).replace(/^0$/, '–'),
                  ),
                  count(counts.none),
                ],
              }))}
            />
          </Section>
        </>
      )}
    </>
  );
}

/** Rows of policies, columns of calls; only the columns that are seen are in the document. One mark is in the tab order. */
function Matrix({ matrix }: { readonly matrix: PolicyMatrix }): VNode {
  const store = useStore();
  const box = useRef<HTMLDivElement | null>(null);
  const { calls, rows } = matrix;
  const pointed = useSignal<{ readonly row: number; readonly column: number } | undefined>(undefined);
  const selected = calls.findIndex((call) => call === store.call.value);
  const at = useSignal({ row: 0, column: Math.max(0, selected) });
  const list = useVirtual({
    count: calls.length,
    isHorizontal: true,
    box,
    estimate: () => cellWidth,
    key: (index) => index,
    keep: [at.value.column],
  });
  useEffect(() => {
    if (selected > 0) list.scrollTo(selected, 'center');
  }, [selected]);
  const columns = list.items;
  const width = list.totalPixels;
  const move = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const [down, right] = by ?? [];
    if (down === undefined || right === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    at.value = {
      row: Math.max(0, Math.min(rows.length - 1, at.value.row + down)),
      column: Math.max(0, Math.min(calls.length - 1, at.value.column + right)),
    };
    list.scrollTo(at.value.column, 'nearest');
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>('[tabindex="0"][data-cell]')?.focus(),
    );
  };
  return (
    <>
      <div class="matrix">
        <div class="policies" aria-hidden="true">
          <span class="turns" />
          {rows.map((row) => (
            <span key={row.policy}>{visible(row.policy)}</span>
          ))}
        </div>
        <div
          class="cells"
          ref={box}
          role="grid"
          aria-label="Policies and calls"
          aria-rowcount={rows.length}
          aria-colcount={calls.length}
          onKeyDown={move}
        >
          <div class="turns" aria-hidden="true" style={{ width: `${width}px` }}>
            {columns.map(({ index, start }) => {
              const call = calls[index];
              return call === undefined || call.turn === calls[index - 1]?.turn ? null : (
                <span key={index} style={{ transform: `translateX(${start}px)` }}>
                  {call.turn}
                </span>
              );
            })}
          </div>
          {rows.map((row, number) => (
            <div
              key={row.policy}
              role="row"
              aria-label={visible(row.policy)}
              class="cell-row"
              style={{ width: `${width}px` }}
            >
              {columns.map(({ index, start }) => {
                const call = calls[index];
                return call === undefined ? null : (
                  <MatrixCell
                    key={index}
                    row={row}
                    call={call}
                    index={index}
                    start={start}
                    isFirst={index > 0 && call.turn !== calls[index - 1]?.turn}
                    isFocusable={at.value.row === number && at.value.column === index}
                    onPoint={() => (pointed.value = { row: number, column: index })}
                  />
                );
              })}
            </div>
          ))}
        </div>
      </div>
      <p class="pointed" aria-live="polite">
        {pointed.value === undefined ? (
          'Point at a mark to read what was asked; click it to open the call.'
        ) : (
          <Pointed matrix={matrix} {...pointed.value} />
        )}
      </p>
    </>
  );
}

function MatrixCell(props: {
  readonly row: PolicyRow;
  readonly call: RecordedCall;
  readonly index: number;
  readonly start: number;
  readonly isFirst: boolean;
  readonly isFocusable: boolean;
  readonly onPoint: () => void;
}): VNode {
  const store = useStore();
  const { row, call, index, start, isFirst, isFocusable, onPoint } = props;
  const cell = row.cells.get(index);
  const isSelected = store.selected.value === call.id;
  return (
    <button
      role="gridcell"
      data-cell
      aria-colindex={index + 1}
      aria-selected={isSelected}
      tabIndex={isFocusable ? 0 : -1}
      class={`cell${isFirst ? ' first' : ''}${isSelected ? ' selected' : ''}${cell?.decision === 'unenforced' ? ' trial' : ''}`}
      style={{ transform: `translateX(${start}px)` }}
      aria-label={visible(`${row.policy}, ${call.id} ${call.toolName}: ${decisionWord(cell)}`)}
      onClick={() => store.select(call.id, { detail: true })}
      onFocus={onPoint}
      onMouseEnter={onPoint}
    >
      <CellMark cell={cell} />
    </button>
  );
}

function decisionWord(cell: PolicyCell | undefined): string {
  return cell === undefined
    ? 'no objection'
    : cell.decision === 'unenforced'
      ? `${cell.answer.outcome}, not enforced`
      : cell.decision;
}

function CellMark({ cell }: { readonly cell: PolicyCell | undefined }): VNode | null {
  if (cell === undefined) return null;
  if (cell.decision === 'allow') return <span class="dot" />;
  return <Icon mark={cell.answer.outcome === 'ask' ? 'ask' : 'denied'} />;
}

function Pointed(props: {
  readonly matrix: PolicyMatrix;
  readonly row: number;
  readonly column: number;
}): JSX.Element {
  const row = props.matrix.rows[props.row];
  const call = props.matrix.calls[props.column];
  if (row === undefined || call === undefined) return <>Not in this record.</>;
  const cell = row.cells.get(props.column);
  return (
    <>
      <b>{visible(row.policy)}</b>
      {` · ${visible(call.id)} ${visible(call.toolName)} `}
      <span class="mute">{visible(brief(call))}</span>
      <br />
      {visible(cellSentence(cell, call))}
    </>
  );
}

function cellSentence(cell: PolicyCell | undefined, call: RecordedCall): string {
  if (cell === undefined) {
    return call.outcome === 'rejected'
      ? 'Not asked: the arguments did not fit.'
      : 'No objection: it allowed the call before it ran, does not cover it, or another policy had refused.';
  }
  const words = { allow: 'Allowed', ask: 'Asked a person', deny: 'Denied', unenforced: 'Not enforced' }[
    cell.decision
  ];
  const about = cell.answer.about === 'changes' ? ', about its changes' : '';
  const reason = cell.decision === 'allow' ? undefined : cell.answer.reason;
  return `${words}${about}${reason === undefined ? '.' : `: ${reason}`}`;
}
