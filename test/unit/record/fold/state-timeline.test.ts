import { describe, expect, it } from 'vitest';
import type { RecordedCall, RecordedWrite } from 'weakincentives/record';
import { StateTimeline } from '../../../../src/record/fold/state-timeline.ts';

// Of a call only who it is matters.
const callNamed = (id: string): RecordedCall => ({ id }) as unknown as RecordedCall;
const [first, second] = [callNamed('first'), callNamed('second')];

function timeline(): StateTimeline {
  const made = new StateTimeline();
  made.declare({ type: 'slice', t: 0, name: 'notes', policy: 'state', isKeyed: true, version: 1 });
  made.declare({ type: 'slice', t: 0, name: 'trail', policy: 'log', isKeyed: false, version: 1, retain: 2 });
  return made;
}

const put = (key: string, item: string, toEnd = false): RecordedWrite => ({
  slice: 'notes',
  op: 'put',
  key,
  item,
  ...(toEnd ? { toEnd } : {}),
});

/** Adds a commit of a call with these writes. */
function commit(
  on: StateTimeline,
  call: RecordedCall | undefined,
  ...writes: readonly RecordedWrite[]
): void {
  on.commit();
  on.add({ writes, log: [], call });
}

/** The items of the slice `notes`: its values, and who wrote each. */
const notesAt = (of: StateTimeline, seq: number): readonly string[] =>
  (of.at(seq).find(({ name }) => name === 'notes')?.items ?? []).map(
    ({ value, writtenBy }) => `${JSON.stringify(value).replaceAll('"', '')} ${writtenBy?.id ?? 'start'}`,
  );

describe('the state of a record', () => {
  it('after each commit has what calls wrote, and who wrote it', () => {
    const state = timeline();
    state.add({ writes: [put('a', 'A')], log: [], call: undefined });
    commit(state, first, put('b', 'B'), put('a', 'A2'));
    commit(state, second, put('b', 'B2', true), { slice: 'notes', op: 'remove', keys: ['a', 'none'] });
    expect(notesAt(state, 0)).toEqual(['A start']);
    expect(notesAt(state, 1)).toEqual(['A2 first', 'B first']);
    expect(notesAt(state, 2)).toEqual(['B2 second']);
    // Looking back after looking ahead.
    expect(notesAt(state, 1)).toEqual(['A2 first', 'B first']);
    expect(notesAt(state, -1)).toEqual(['A start']);
    expect(notesAt(state, 99)).toEqual(['B2 second']);
  });

  it('puts a known key in its place, or at the end when the row says so', () => {
    const state = timeline();
    commit(state, first, put('a', 'A'), put('b', 'B'));
    commit(state, second, put('a', 'A2'));
    commit(state, second, put('a', 'A3', true));
    expect(notesAt(state, 2)).toEqual(['A2 second', 'B first']);
    expect(notesAt(state, 3)).toEqual(['B first', 'A3 second']);
  });

  it('leaves to an item that was put back unchanged the call that wrote it', () => {
    const state = timeline();
    commit(state, first, put('a', 'A'), put('b', 'B'));
    commit(state, second, { slice: 'notes', op: 'clear' }, put('b', 'B'), put('c', 'C'));
    commit(state, first, { slice: 'notes', op: 'clear' }, { slice: 'notes', op: 'append', items: ['D'] });
    expect(notesAt(state, 2)).toEqual(['B first', 'C second']);
    expect(notesAt(state, 3)).toEqual(['D first']);
  });

  it('keeps the last entries of a log, as many as its slice does', () => {
    const state = timeline();
    for (const [call, items] of [
      [first, ['1']],
      [second, ['2', '3']],
    ] as const) {
      state.commit();
      state.add({ writes: [], log: [{ slice: 'trail', items }], call });
    }
    const trailAt = (seq: number) => state.at(seq).find(({ name }) => name === 'trail')?.items;
    expect(trailAt(1)).toEqual([{ value: '1', writtenBy: first }]);
    expect(trailAt(2)).toEqual([
      { value: '2', writtenBy: second },
      { value: '3', writtenBy: second },
    ]);
    expect(state.at(2).map(({ name, policy, isKeyed }) => [name, policy, isKeyed])).toEqual([
      ['notes', 'state', true],
      ['trail', 'log', false],
    ]);
  });

  it('takes back what the end of a run had cut off once it is resumed', () => {
    const state = timeline();
    commit(state, first, put('a', 'A'));
    state.add({ writes: [put('a', 'cut off')], log: [], call: second, isCutOff: true });
    expect(notesAt(state, 1)).toEqual(['cut off second']);
    state.takeBack();
    expect(notesAt(state, 1)).toEqual(['A first']);
    state.takeBack();
    commit(state, second, put('b', 'B'));
    expect(notesAt(state, 2)).toEqual(['A first', 'B second']);
  });

  it('is there at once after a row of 200,000 writes', () => {
    const state = timeline();
    const keys = Array.from({ length: 200_000 }, (_, at) => `k${at}`);
    state.commit();
    state.add({ writes: keys.map((key) => put(key, key)), log: [], call: first });
    state.commit();
    state.add({ writes: keys.map((key) => put(key, 'again', true)), log: [], call: second });
    commit(state, second, { slice: 'notes', op: 'remove', keys: keys.slice(1) });
    expect(notesAt(state, 2)).toHaveLength(200_000);
    expect(notesAt(state, 3)).toEqual(['again second']);
  });

  it('keeps items without a key in their order, also where some have one', () => {
    const state = timeline();
    const append = (...items: readonly string[]): RecordedWrite => ({ slice: 'notes', op: 'append', items });
    commit(state, first, append('a', 'a'), put('1', 'one'), append('b'));
    commit(state, second, put('1', 'other'), append('c'));
    expect(notesAt(state, 1)).toEqual(['a first', 'a first', 'one first', 'b first']);
    expect(notesAt(state, 2)).toEqual(['a first', 'a first', 'other second', 'b first', 'c second']);
    expect(notesAt(state, 1)).toHaveLength(4);
  });

  it('is the same wherever one looks first, also over many commits', () => {
    const build = (): StateTimeline => {
      const state = timeline();
      for (let seq = 1; seq <= 300; seq += 1) commit(state, first, put(`k${seq % 3}`, `v${seq}`));
      return state;
    };
    const forward = build();
    const ahead = Array.from({ length: 301 }, (_, seq) => notesAt(forward, seq));
    const backward = build();
    for (const seq of [300, 256, 255, 129, 128, 127, 1, 0])
      expect(notesAt(backward, seq)).toEqual(ahead[seq]);
    expect(ahead[300]).toEqual(['v298 first', 'v299 first', 'v300 first']);
    // What comes after a commit that was looked at belongs to it, also when a state is kept for it.
    backward.add({ writes: [put('late', 'L')], log: [], call: second });
    expect(notesAt(backward, 300)).toContain('L second');
  });
});
