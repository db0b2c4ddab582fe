import { present } from '../../core/internal/index.ts';
import type { RecordedCall, RecordedRun, RecordedTurn } from '../../record/index.ts';
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
  /** The text in which the search was found, where the row itself does not show it. */
  readonly found?: string;
};
export type TimelineRow = TurnRow | CallRow;

/** What of the timeline is shown. */
export interface RowOptions {
  /** Ids of turns and calls that are folded. */
  readonly shut: ReadonlySet<string>;
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
    | Pick<CallRow, 'kind' | 'call' | 'found'>;
  readonly id: string;
  readonly canFold: boolean;
  readonly children: readonly Branch[];
}

/** The rows of the timeline, in their order: turns, the calls in them, the turns of evaluations inside those. */
export function rowsOf(run: RecordedRun, options: RowOptions): Rows {
  const isNarrowed = options.query !== '' || options.matches !== undefined;
  let matching = 0;

  const ofTurns = (turns: readonly RecordedTurn[]): readonly Branch[] =>
    turns.flatMap((turn) => {
      const children = turn.calls.flatMap(ofCall);
      const isFound =
        options.query !== '' &&
        options.matches === undefined &&
        findInTurn(turn, options.query) !== undefined;
      if (isNarrowed && children.length === 0 && !isFound) return [];
      return [
        { row: { kind: 'turn', turn }, id: turnId(turn), canFold: turn.calls.length > 0, children } as const,
      ];
    });

  const ofCall = (call: RecordedCall): readonly Branch[] => {
    const passes = options.matches?.(call) ?? true;
    const found = passes && options.query !== '' ? findInCall(call, options.query) : undefined;
    const isMatch = passes && (options.query === '' || found !== undefined);
    if (isMatch) matching += 1;
    const children = call.inner.flatMap((inner) => ofTurns(inner.turns));
    if (!isMatch && children.length === 0) return [];
    const isShown = `${call.toolName} ${brief(call)}`.toLowerCase().includes(options.query);
    const row = { kind: 'call', call, ...present({ found: isShown ? undefined : found }) } as const;
    return [{ row, id: call.id, canFold: call.inner.some(({ turns }) => turns.length > 0), children }];
  };

  const rows: TimelineRow[] = [];
  const add = (branches: readonly Branch[], level: number, parentId: string | undefined): void => {
    branches.forEach(({ row, id, canFold, children }, index) => {
      const isOpen = !options.shut.has(id);
      rows.push({
        ...row,
        id,
        level,
        position: index + 1,
        siblings: branches.length,
        ...present({ isOpen: canFold ? isOpen : undefined, parentId }),
      });
      if (isOpen) add(children, level + 1, id);
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
