import { present } from '../../core/internal/index.ts';
import type { RecordedCall, RecordedRun, RecordedTurn } from '../../record/index.ts';
import type { Repeats } from './repeats.ts';
import { findInCall, findInTurn } from './search.ts';
import { turnId, turnOf } from './turns.ts';
import { brief } from './words.ts';

interface RowBase {
  /** Id of the turn or the call; unique in the timeline. */
  readonly id: string;
  /** Depth in the tree, from 1. */
  readonly level: number;
  /** Undefined: it has nothing to fold. */
  readonly isOpen?: boolean;
  /** Place among its siblings, from 1, and how many there are. */
  readonly position: number;
  readonly siblings: number;
  /** The row above it in the tree. */
  readonly parentId?: string;
}

export type TurnRow = RowBase & { readonly kind: 'turn'; readonly turn: RecordedTurn };
export type CallRow = RowBase & {
  readonly kind: 'call';
  readonly call: RecordedCall;
  /** The failures like this one that came right after it. */
  readonly repeats?: Repeats;
  /** The text in which the search was found, where the row itself does not show it. */
  readonly found?: string;
};
export type TimelineRow = TurnRow | CallRow;

/** What of the timeline is shown. */
export interface RowOptions {
  /** Ids of turns and calls that are folded. */
  readonly shut: ReadonlySet<string>;
  /** Failures that came again, by each of their calls. They are one row, unless its id is in `unfolded`, or the timeline is narrowed. */
  readonly repeats: ReadonlyMap<RecordedCall, Repeats>;
  readonly unfolded: ReadonlySet<string>;
  readonly matches?: ((call: RecordedCall) => boolean) | undefined;
  /** In lower case; empty: everything. */
  readonly query: string;
}

export interface Rows {
  readonly rows: readonly TimelineRow[];
  /** Calls that match search and filter themselves. */
  readonly matching: number;
}

/** A row with those below it, before it is known which siblings are shown. */
interface Branch {
  readonly row:
    | { readonly kind: 'turn'; readonly turn: RecordedTurn }
    | Pick<CallRow, 'kind' | 'call' | 'found' | 'repeats'>;
  readonly id: string;
  /** Undefined: it has nothing to fold. */
  readonly isOpen: boolean | undefined;
  readonly children: readonly Branch[];
}

/** The rows of the timeline, in their order: turns, the calls in them, the turns of evaluations inside those. */
export function rowsOf(run: RecordedRun, options: RowOptions): Rows {
  const isNarrowed = options.query !== '' || options.matches !== undefined;
  let matching = 0;

  const openOf = (id: string, canFold: boolean): boolean | undefined =>
    canFold ? !options.shut.has(id) : undefined;

  const ofTurns = (turns: readonly RecordedTurn[]): readonly Branch[] =>
    turns.flatMap((turn) => {
      const children = turn.calls.flatMap(ofCall);
      const isFound =
        options.query !== '' &&
        options.matches === undefined &&
        findInTurn(turn, options.query) !== undefined;
      const isLeftOut = isNarrowed ? !isFound : turn.calls.length > 0;
      if (isLeftOut && children.length === 0) return [];
      const id = turnId(turn);
      const row = { kind: 'turn', turn } as const;
      return [{ row, id, isOpen: openOf(id, turn.calls.length > 0), children }];
    });

  const ofCall = (call: RecordedCall): readonly Branch[] => {
    const repeats = isNarrowed ? undefined : options.repeats.get(call);
    const isUnfolded = repeats !== undefined && options.unfolded.has(repeats.first.id);
    if (repeats !== undefined && repeats.first !== call && !isUnfolded) {
      matching += 1;
      return [];
    }
    const passes = options.matches?.(call) ?? true;
    const found = passes && options.query !== '' ? findInCall(call, options.query) : undefined;
    const isMatch = passes && (options.query === '' || found !== undefined);
    if (isMatch) matching += 1;
    const children = call.inner.flatMap((inner) => ofTurns(inner.turns));
    if (!isMatch && children.length === 0) return [];
    const isShown = `${call.toolName} ${brief(call)}`.toLowerCase().includes(options.query);
    const row = {
      kind: 'call',
      call,
      ...present({
        found: isShown ? undefined : found,
        repeats: repeats?.first === call ? repeats : undefined,
      }),
    } as const;
    const canFold = call.inner.some(({ turns }) => turns.length > 0);
    return [
      {
        row,
        id: call.id,
        isOpen: row.repeats === undefined ? openOf(call.id, canFold) : isUnfolded,
        children,
      },
    ];
  };

  const rows: TimelineRow[] = [];
  const add = (branches: readonly Branch[], level: number, parentId: string | undefined): void => {
    branches.forEach(({ row, id, isOpen, children }, index) => {
      rows.push({
        ...row,
        id,
        level,
        position: index + 1,
        siblings: branches.length,
        ...present({ isOpen, parentId }),
      });
      if (isOpen !== false) add(children, level + 1, id);
    });
  };
  add(ofTurns(run.turns), 1, undefined);
  return { rows, matching };
}

/** The ids that have to be open for a row to be shown, outermost first. */
export function ancestorsOf(call: RecordedCall): readonly string[] {
  const outer = call.run.parent?.call;
  const turn = turnOf(call);
  return [
    ...(outer === undefined ? [] : [...ancestorsOf(outer), outer.id]),
    ...(turn === undefined ? [] : [turnId(turn)]),
  ];
}
