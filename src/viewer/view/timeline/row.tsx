import type { VNode } from 'preact';
import { cutLine } from '../../../core/internal/index.ts';
import { type RecordedAttempt, type RecordedCall, turnsText } from '../../../record/index.ts';
import { askedMs, lengthOf, type Phase, phasesOf, timesRun } from '../../model/phases.ts';
import type { Repeats } from '../../model/repeats.ts';
import type { CallRow, TimelineRow, TurnRow } from '../../model/rows.ts';
import {
  answeredAt,
  headlineOf,
  innerName,
  inputText,
  requestTokens,
  resumeText,
  runEnd,
  turnEnd,
  turnOf,
} from '../../model/turns.ts';
import { visible } from '../../model/visible.ts';
import {
  brief,
  count,
  duration,
  endOfAttempt,
  type Mark,
  many,
  markOf,
  maxBriefCharacters,
  wordOf,
} from '../../model/words.ts';
import { Icon, Marked, Snippet } from '../parts/parts.tsx';
import { useStore } from '../store/store.ts';

interface RowProps<T> {
  readonly row: T;
  readonly isFocusable: boolean;
  readonly isFirst: boolean;
}

/** One line of the timeline. */
export function Row({ row, ...rest }: RowProps<TimelineRow>): VNode {
  return row.kind === 'turn' ? <Turn row={row} {...rest} /> : <Call row={row} {...rest} />;
}

function treeItem(row: TimelineRow, isFocusable: boolean, store: ReturnType<typeof useStore>) {
  return {
    role: 'treeitem',
    tabIndex: isFocusable ? 0 : -1,
    'aria-level': row.level,
    'aria-posinset': row.position,
    'aria-setsize': row.siblings,
    'aria-selected': store.selected.value === row.id,
    // Absent where a row does not fold.
    'aria-expanded': row.isOpen,
    'data-id': row.id,
    onClick: () => {
      store.select(row.id, { detail: true, focus: true });
    },
  } as const;
}

function Turn({ row, isFocusable, isFirst }: RowProps<TurnRow>): VNode {
  const store = useStore();
  const { turn, level } = row;
  const { text, kind } = headlineOf(turn);
  const { response } = turn;
  const said = cutLine(text, maxBriefCharacters);
  const rejected = turn.events.filter(({ event }) => event.type === 'output-rejected').length;
  const isInner = level > 1;
  const name = isInner && turn.run.turns[0] === turn ? innerName(turn.run) : undefined;
  const requested = requestTokens(turn);
  const output = response?.usage?.outputTokens;
  const tokens = [
    turn.calls.length > 0 && response !== undefined
      ? `calls ${duration(turnEnd(turn) - answeredAt(turn))} · `
      : '',
    requested === undefined ? '' : `${count(requested)} in`,
    output === undefined ? '' : `, ${count(output)} out`,
  ].join('');
  const folded = row.isOpen === false ? ` ${many(turn.calls.length, 'call')} folded.` : '';
  const resumed = resumeText(turn, store.record.value);
  const input = inputText(turn);
  const spoken = `Turn ${turn.number}. ${said}${rejected > 0 ? ', answer refused' : ''}.${folded}`;
  return (
    <>
      <div
        {...treeItem(row, isFocusable, store)}
        class={`row turn${isInner ? ' inner' : ''}${isFirst ? ' first' : ''}`}
        aria-label={visible(
          [
            spoken,
            ...(resumed === undefined ? [] : [`It continues here ${resumed}.`]),
            ...(input === undefined ? [] : [`Before it, ${input}`]),
          ].join(' '),
        )}
      >
        <span class="number">{turn.number}</span>
        <span class={`say ${kind}`} title={visible(said)}>
          {name === undefined ? null : <span class="badge">{visible(name)}</span>}
          <Marked text={said} />
          {rejected > 0 ? (
            <span class="mute">{`  answer refused${rejected > 1 ? ` ×${rejected}` : ''}`}</span>
          ) : null}
          {row.isOpen === false ? <span class="mute">{`  ${many(turn.calls.length, 'call')}`}</span> : null}
        </span>
        <span class="tokens">{tokens}</span>
        <span class="length" title="How long the model took">
          {response === undefined ? '' : duration(response.durationMs)}
        </span>
      </div>
      {resumed === undefined ? null : (
        <div class="fold resumed" aria-hidden="true">
          {visible(resumed)}
        </div>
      )}
      {input === undefined ? null : (
        <div class="fold resumed" aria-hidden="true">
          {visible(input)}
        </div>
      )}
    </>
  );
}

function Call({ row, isFocusable }: RowProps<CallRow>): VNode {
  const store = useStore();
  const { call, level, found, repeats } = row;
  const depth = Math.max(0, (level - 2) / 2);
  const attempts = attemptNumbers(call);
  const inner = call.inner.reduce((sum, run) => sum + run.turns.length, 0);
  return (
    <>
      <div
        {...treeItem(row, isFocusable, store)}
        class={`row call${depth > 0 ? ' inner' : ''}`}
        aria-label={visible(
          [labelOf(call), ...(repeats === undefined ? [] : [repeatWords(repeats)])].join(', '),
        )}
      >
        <span class="number" />
        <Icon mark={store.waiting.value.has(call.id) ? 'ask' : markOf(call.outcome)} />
        <span class="name">
          <b>
            <Marked text={call.toolName} />
          </b>
          <i>
            <Marked text={brief(call)} />
          </i>
          {attempts === '' ? null : <span class="badge">{attempts}</span>}
          {inner > 0 ? (
            <button
              class="badge"
              tabIndex={-1}
              aria-hidden="true"
              onClick={(event) => {
                event.stopPropagation();
                store.setOpen(row.id, row.isOpen !== true, false);
              }}
            >
              {`${row.isOpen === true ? '−' : '+'} ${many(inner, 'turn')}`}
            </button>
          ) : null}
          {call.effects === 'external' ? (
            <span class="badge outside" title="Reaches outside: not rolled back">
              external
            </span>
          ) : null}
        </span>
        <Waterfall call={call} />
        <span class="length">
          {call.outcome !== undefined
            ? duration(lengthOf(call))
            : store.waiting.value.has(call.id)
              ? 'waits'
              : '…'}
        </span>
      </div>
      {found === undefined ? null : <Snippet text={found} />}
      {repeats === undefined ? null : (
        <div class="fold" aria-hidden="true">
          {`${repeatWords(repeats)}: `}
          <button
            class="link"
            tabIndex={-1}
            onClick={() => store.setOpen(row.id, row.isOpen !== true, false)}
          >
            {row.isOpen === true ? 'hide' : 'show'}
          </button>
        </div>
      )}
    </>
  );
}

function repeatWords({ others }: Repeats): string {
  return `${count(others.length)} more ${others.length === 1 ? 'time' : 'times'} in ${turnsText(others)}, same arguments, same error`;
}

/** `attempts 1, 2`; empty for a call of one attempt. */
function attemptNumbers({ attempts }: RecordedCall): string {
  if (attempts.length < 2) return '';
  return attempts.length < 4
    ? `attempts ${attempts.map(({ number }) => number).join(', ')}`
    : many(attempts.length, 'attempt');
}

/** What a screen reader says of a call: everything that the bars show, too. */
function labelOf(call: RecordedCall): string {
  const asked = askedMs([call]);
  const times = timesRun(call);
  const parts = [
    `${call.toolName} ${brief(call)}`.trim(),
    `${wordOf(call.outcome)}${call.reason === undefined || call.reason === call.outcome ? '' : ` ${call.reason}`}`,
    times > 1 ? `${times} attempts` : '',
    asked > 0 ? `waited ${duration(asked)} for a person` : '',
    call.outcome === undefined ? '' : duration(lengthOf(call)),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** A wait is named where there is room for it. */
const minNamedShare = 40;

interface Bar {
  readonly phase: Phase;
  readonly mark: Mark;
  /** Undefined for a wait that has no end. */
  readonly attempt: RecordedAttempt | undefined;
  /** Undefined: the row is one lane. */
  readonly place: ReturnType<typeof laneStyle> | undefined;
}

/** Bars of the attempts of a call, one above the other. One that asked a person continues in the next one: both are in one line. */
function Waterfall({ call }: { readonly call: RecordedCall }): VNode {
  const store = useStore();
  const waiting = store.waiting.value.get(call.id);
  const [fromMs, toMs] = scaleOf(call, store);
  const length = Math.max(1, toMs - fromMs);
  const at = (ms: number): number => Math.max(0, Math.min(99.2, (99 * (ms - fromMs)) / length));
  const lanes = timesRun(call);
  let lane = 0;
  const bars: Bar[] = call.attempts.flatMap((attempt, index) => {
    const { mark } = endOfAttempt(attempt);
    const place = lanes > 1 ? laneStyle(lane, lanes) : undefined;
    if (attempt.isSuspended !== true) lane += 1;
    return phasesOf(attempt, call.attempts[index - 1]).map((phase) => ({ phase, mark, attempt, place }));
  });
  if (waiting !== undefined)
    bars.push({
      phase: { kind: 'asked', fromMs: waiting.askedAtMs, toMs },
      mark: 'ask',
      attempt: undefined,
      place: undefined,
    });
  return (
    <span class="waterfall" aria-hidden="true">
      {bars.map(({ phase, mark, attempt, place }, index) => {
        const isWait = phase.kind === 'place' || phase.kind === 'turn';
        if (isWait && phase.toMs - phase.fromMs < length / 60) return null;
        if (phase.kind === 'turn' && attempt?.outcome === 'superseded') return null;
        const left = at(phase.fromMs);
        const width = Math.max(0.1, at(phase.toMs) - left);
        const kind = phase.kind === 'ran' && mark === 'ok' ? 'ran full' : phase.kind;
        const name =
          attempt === undefined
            ? 'waits for a person'
            : `waited for a person, ${duration(phase.toMs - phase.fromMs)}`;
        return (
          <>
            <span
              key={index}
              class={`phase ${kind} ${mark}`}
              style={{ left: `${left}%`, width: `${width}%`, ...place?.[phase.kind] }}
            />
            {phase.kind === 'asked' && width > minNamedShare && place === undefined ? (
              <span class="wait-name" style={{ left: `${left + width / 12}%` }}>
                {name}
              </span>
            ) : null}
          </>
        );
      })}
    </span>
  );
}

/** Two attempts are bars of full height above each other; more share the row. */
function laneStyle(
  index: number,
  attempts: number,
): Readonly<Record<'ran' | 'place' | 'turn' | 'asked', { readonly top: string; readonly height?: string }>> {
  const each = 21 / attempts;
  const top = 2 + index * each;
  const height = Math.min(8, Math.max(3, each - 1));
  const line = { top: `${top + height / 2 - 0.5}px` };
  const box = { top: `${top}px`, height: `${height}px` };
  return { ran: box, asked: box, place: line, turn: line };
}

function scaleOf(
  call: RecordedCall,
  store: ReturnType<typeof useStore>,
): readonly [fromMs: number, toMs: number] {
  if (store.scale.value === 'run') return [0, runEnd(store.record.value)];
  let outer = call;
  for (let parent = call.run.parent; parent !== undefined; parent = outer.run.parent) outer = parent.call;
  const turn = turnOf(outer);
  if (turn === undefined) return [0, runEnd(store.record.value)];
  const fromMs = answeredAt(turn);
  // An open wait has no end in the record: it takes most of the row.
  const isOpen = turn.calls.some(({ id }) => store.waiting.value.has(id));
  const toMs = turnEnd(turn);
  return [fromMs, isOpen ? toMs + Math.max(1, 4 * (toMs - fromMs)) : toMs];
}
