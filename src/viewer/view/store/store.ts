import type { ComponentChildren, VNode } from 'preact';
import {
  outcomeOfRecord,
  type RecordedCall,
  type RecordedProblem,
  type RunRecord,
} from '../../../record/index.ts';
import { readAddress, type Tab, tabs, writeAddress } from '../../model/address.ts';
import type { RecordPlace } from '../../model/commands.ts';
import { openQuestions } from '../../model/overview.ts';
import { repeatsOf } from '../../model/repeats.ts';
import { ancestorsOf, rowsOf } from '../../model/rows.ts';
import { changesOf, commitAt, placeOf, seqAt, seqOfCall } from '../../model/steps.ts';
import { type FilterName, filters, totalsOf } from '../../model/totals.ts';
import { turnEnd, turnId } from '../../model/turns.ts';
import { element, Fragment } from '../drawing/element.ts';
import { useOuter } from '../drawing/hooks.ts';
import { computed, type Signal, signal } from './signals.ts';

/** Where the lines of the record are from: the page itself, a server that still sends some, or one that has ended. */
export type Feed = 'page' | 'live' | 'ended' | 'lost';

/** What the page shows, and everything a reader has chosen. */
export class Store {
  readonly record: Signal<RunRecord>;
  readonly place: RecordPlace;
  readonly feed: Signal<Feed> = signal('page');
  /** What is wrong with the line after those that are shown. */
  readonly damage: Signal<string | undefined> = signal(undefined);
  readonly selected: Signal<string | undefined> = signal(undefined);
  readonly tab: Signal<Tab> = signal('overview');
  readonly seq: Signal<number> = signal(0);
  readonly openFile: Signal<string | undefined> = signal(undefined);
  /** The attempt that is shown of a call, by its id. */
  readonly attempts: Signal<ReadonlyMap<string, number>> = signal(new Map());
  readonly filter: Signal<FilterName | undefined> = signal(undefined);
  readonly query: Signal<string> = signal('');
  /** Failures that came again and are shown one by one: the ids of the first ones. */
  readonly unfolded: Signal<ReadonlySet<string>> = signal(new Set());
  readonly showsLibrary: Signal<boolean> = signal(false);
  readonly shut: Signal<ReadonlySet<string>> = signal(new Set());
  readonly scale: Signal<'turn' | 'run'> = signal('turn');
  readonly isHelpOpen: Signal<boolean> = signal(false);
  /** A narrow screen shows one thing at a time; the timeline is a tab there. */
  readonly isNarrow: Signal<boolean> = signal(false);
  readonly wantsTimeline: Signal<boolean> = signal(false);
  /** Counts up when the selected row is to be scrolled to; `focus`: it also gets the focus. */
  readonly reveal: Signal<{ readonly count: number; readonly focus: boolean }> = signal({
    count: 0,
    focus: false,
  });

  readonly totals = computed(() => totalsOf(this.record.value));
  readonly outcome = computed(() => outcomeOfRecord(this.record.value, this.feed.value === 'live'));
  readonly repeats = computed(() => new Map(this.record.value.runs.flatMap((run) => [...repeatsOf(run)])));
  /** Open questions, by the ids of the calls that wait. */
  readonly waiting = computed(
    () => new Map(openQuestions(this.record.value).map((question) => [question.call?.id, question])),
  );
  readonly isTimeline = computed(() => this.isNarrow.value && this.wantsTimeline.value);
  readonly rows = computed(() => {
    const name = this.filter.value;
    const matches = name === undefined ? undefined : filters[name].matches;
    return rowsOf(this.record.value.root, {
      shut: this.shut.value,
      repeats: this.repeats.value,
      unfolded: this.unfolded.value,
      matches,
      query: this.query.value,
    });
  });
  readonly rowIndex = computed(() => new Map(this.rows.value.rows.map(({ id }, index) => [id, index])));
  readonly turns = computed(() => new Map(this.record.value.turns.map((turn) => [turnId(turn), turn])));
  readonly call = computed(() => {
    const id = this.selected.value;
    return id === undefined ? undefined : this.record.value.call(id);
  });
  readonly turn = computed(() => this.turns.value.get(this.selected.value ?? ''));
  readonly changes = computed(() => changesOf(this.record.value));
  readonly commit = computed(() => commitAt(this.record.value, this.seq.value));
  readonly slices = computed(() => this.record.value.stateAt(this.seq.value));
  readonly files = computed(() => this.record.value.filesAt(this.seq.value));
  readonly failures = computed(() => this.record.value.problems.filter(({ isFailure }) => isFailure).length);

  constructor(record: RunRecord, place: RecordPlace) {
    this.record = signal(record);
    this.place = place;
    const problem = record.problems.find((each) => idOf(each) !== undefined);
    const about = problem === undefined ? undefined : idOf(problem);
    const { call } = this.outcome.value;
    const ended = call === undefined ? undefined : (this.repeats.value.get(call)?.first ?? call);
    const id = ended?.id ?? about ?? this.rows.value.rows[0]?.id;
    if (id !== undefined) this.select(id);
  }

  /** Selects a call or a turn, and moves everything else to its place in the run. False: there is none with this id. */
  select(id: string, options: { readonly detail?: boolean; readonly focus?: boolean } = {}): boolean {
    const record = this.record.value;
    const call = record.call(id);
    const turn = this.turns.value.get(id);
    if (call === undefined && turn === undefined) return false;
    this.selected.value = id;
    if (call !== undefined) {
      this.open(ancestorsOf(call));
      this.unfold([call]);
      this.seq.value = seqOfCall(record, call);
    } else if (turn !== undefined) {
      const outer = turn.run.parent?.call;
      if (outer !== undefined) this.open([...ancestorsOf(outer), outer.id]);
      this.unfold(turn.calls);
      this.seq.value = seqAt(record, turn.request?.atMs ?? Math.min(turn.startedAtMs, turnEnd(turn)));
    }
    this.openFile.value = undefined;
    if (options.detail === true) {
      this.showTab('detail');
    }
    this.reveal.value = { count: this.reveal.value.count + 1, focus: options.focus === true };
    return true;
  }

  showTab(tab: Tab): void {
    this.tab.value = tab;
    this.wantsTimeline.value = false;
  }

  showState(seq: number): void {
    this.seq.value = Math.max(0, seq);
    this.openFile.value = undefined;
    this.showTab('state');
  }

  /** Moves to the next or previous commit that changed something; before the first one there is the start. */
  moveState(by: 1 | -1): void {
    const changes = this.changes.value;
    const place = placeOf(changes, this.seq.value);
    const isBetween = changes[place - 1]?.seq !== this.seq.value && place > 0;
    const next = by > 0 ? place + 1 : isBetween ? place : place - 1;
    this.showState(changes[Math.min(next, changes.length) - 1]?.seq ?? 0);
  }

  /** Selects the row `by` rows away. */
  moveRow(by: number, focus: boolean): void {
    const { rows } = this.rows.value;
    const at = this.rowIndex.value.get(this.selected.value ?? '');
    const next = rows[at === undefined ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))];
    if (next !== undefined) this.select(next.id, { focus });
  }

  selectEdge(edge: 'first' | 'last', focus: boolean): void {
    const row = this.rows.value.rows.at(edge === 'first' ? 0 : -1);
    if (row !== undefined) this.select(row.id, { focus });
  }

  /** Folds or unfolds; closing a row without children selects the one above it. */
  fold(isOpen: boolean, focus: boolean): void {
    const row = this.rows.value.rows[this.rowIndex.value.get(this.selected.value ?? '') ?? -1];
    if (row === undefined) return;
    if (!isOpen && row.isOpen !== true) {
      if (row.parentId !== undefined) this.select(row.parentId, { focus });
      return;
    }
    if (isOpen && row.isOpen === true) {
      this.moveRow(1, focus);
      return;
    }
    if (row.isOpen !== undefined) this.setOpen(row.id, isOpen, focus);
  }

  setOpen(id: string, isOpen: boolean, focus: boolean): void {
    if (this.isRepeated(id)) {
      const unfolded = new Set(this.unfolded.value);
      if (isOpen) unfolded.add(id);
      else unfolded.delete(id);
      this.unfolded.value = unfolded;
    } else if (isOpen) this.open([id]);
    else this.shut.value = new Set(this.shut.value).add(id);
    this.reveal.value = { count: this.reveal.value.count + 1, focus };
  }

  moveProblem(by: 1 | -1): void {
    const ids = [...new Set(this.record.value.problems.flatMap((problem) => idOf(problem) ?? []))];
    const at = ids.indexOf(this.selected.value ?? '');
    const next = ids[at < 0 ? (by > 0 ? 0 : ids.length - 1) : (at + by + ids.length) % ids.length];
    if (next !== undefined) this.select(next, { detail: true });
  }

  clear(): void {
    this.query.value = '';
    this.filter.value = undefined;
    this.reveal.value = { count: this.reveal.value.count + 1, focus: false };
  }

  /** Goes to what the part of an address after `#` names, if the record has it. */
  visit(fragment: string): void {
    const address = readAddress(fragment);
    if (address === undefined) return;
    if (address.kind === 'row') this.select(address.id, { detail: true });
    else if (address.kind === 'state') {
      const seq = Math.min(address.seq, this.record.value.commits.at(-1)?.seq ?? 0);
      const commit = commitAt(this.record.value, seq);
      if (commit !== undefined && this.seq.value !== seq) this.select(commit.call.id);
      this.showState(seq);
    } else this.showTab(address.tab);
  }

  /** The address of what is shown. */
  address(): string {
    const tab = this.tab.value;
    if (tab === 'state') return writeAddress({ kind: 'state', seq: this.seq.value });
    const id = this.selected.value;
    if (tab === 'detail') return id === undefined ? '' : writeAddress({ kind: 'row', id });
    return writeAddress({ kind: 'tab', tab });
  }

  private isRepeated(id: string): boolean {
    const call = this.record.value.call(id);
    return call !== undefined && this.repeats.value.get(call)?.first === call;
  }

  /** Shows calls that are folded into the first one like them. */
  private unfold(calls: readonly RecordedCall[]): void {
    const unfolded = new Set(this.unfolded.value);
    for (const call of calls) {
      const first = this.repeats.value.get(call)?.first;
      if (first !== undefined && first !== call) unfolded.add(first.id);
    }
    if (unfolded.size > this.unfolded.value.size) this.unfolded.value = unfolded;
  }

  private open(ids: readonly string[]): void {
    if (!ids.some((id) => this.shut.value.has(id))) return;
    const shut = new Set(this.shut.value);
    for (const id of ids) shut.delete(id);
    this.shut.value = shut;
  }
}

/** What a problem is about: the id of a call or a turn. */
export function idOf(problem: RecordedProblem): string | undefined {
  return problem.call?.id ?? (problem.turn === undefined ? undefined : turnId(problem.turn));
}

export const tabList: readonly Tab[] = tabs;

/** Has the store for everything inside it. */
export function StoreProvider({
  children,
}: {
  readonly value: Store;
  readonly children: ComponentChildren;
}): VNode {
  return element(Fragment, null, children);
}

/** The store of the page. */
export function useStore(): Store {
  const store = useOuter(StoreProvider)?.value;
  if (store === undefined) throw new Error('There is no store around this component.');
  return store;
}
