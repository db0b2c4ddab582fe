import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ConversationItem } from 'weakincentives';
import type { ConversationEdit } from '../../../../../src/core/runtime/observer/observed.ts';
import { ConversationEdits } from '../../../../../src/core/runtime/turn/model-call-reports.ts';
import { draws } from '../../../../support/draws.ts';

/** Grows, loses items, and has items replaced, as conversations do. */
const steps = fc.array(
  fc.record({
    append: fc.nat(5),
    drop: fc.array(fc.nat(20), { maxLength: 4 }),
    replace: fc.array(fc.nat(20), { maxLength: 4 }),
  }),
  { maxLength: 15 },
);

function item(number: number): ConversationItem {
  return { type: 'user', content: [{ type: 'text', text: `${number}` }] };
}

function applyEdits(
  conversation: readonly ConversationItem[],
  edits: readonly ConversationEdit[],
): readonly ConversationItem[] {
  return edits.reduce((all, { at, remove, insert }) => all.toSpliced(at, remove, ...insert), conversation);
}

it('edits make each conversation into the next one', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const edits = new ConversationEdits();
      let number = 0;
      let known: readonly ConversationItem[] = [];
      const conversation: ConversationItem[] = [];
      for (const { append, drop, replace } of changes) {
        for (let count = 0; count < append; count += 1) conversation.push(item(++number));
        if (drop.length + replace.length > 0) edits.rewritten();
        for (const at of drop) if (at < conversation.length) conversation.splice(at, 1);
        for (const at of replace) if (at < conversation.length) conversation[at] = item(++number);
        known = applyEdits(known, edits.next(conversation));
        expect(known).toEqual(conversation);
      }
    }),
    { numRuns: draws(2_000) },
  );
});

it('of a conversation that has only grown is one, with what is new', () => {
  const edits = new ConversationEdits();
  const conversation = [item(1), item(2)];
  edits.next(conversation);
  conversation.push(item(3));
  expect(edits.next(conversation)).toEqual([{ at: 2, remove: 0, insert: [item(3)] }]);
  expect(edits.next(conversation)).toEqual([]);
});

it('of a conversation of any length are made, also when it was rewritten', () => {
  const edits = new ConversationEdits();
  const conversation = Array.from({ length: 300_000 }, (_, number) => item(number));
  expect(edits.next(conversation)[0]?.insert).toHaveLength(300_000);
  edits.rewritten();
  expect(edits.next(conversation.slice(1))).toEqual([{ at: 0, remove: 1, insert: [] }]);
});
