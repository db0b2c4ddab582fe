import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConversationItem } from 'weakincentives';
import {
  type CallIdForm,
  ForeignCallIds,
  nineCharacterCallIds,
  plainCallIds,
  shortCallIds,
} from '../../../../../src/providers/kit/wire/foreign-call-ids.ts';

const forms: readonly (readonly [string, CallIdForm, RegExp])[] = [
  ['Anthropic and Bedrock', plainCallIds, /^[a-zA-Z0-9_-]{1,64}$/],
  ['Mistral', nineCharacterCallIds, /^[a-zA-Z0-9]{9}$/],
  ['OpenAI', shortCallIds, /^.{1,64}$/s],
];

const asking = (callIds: readonly string[], provider?: string): ConversationItem => ({
  type: 'assistant',
  content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'note', arguments: '{}' })),
  ...(provider === undefined ? {} : { raw: { provider, items: [] } }),
});

/** The ids of the calls of each answer, as the provider gets them, with those that their results go by. */
function idsOf(form: CallIdForm, conversation: readonly ConversationItem[]) {
  const ids = new ForeignCallIds(form, conversation, ({ raw }) => raw?.provider === 'own');
  return conversation.flatMap((item) => {
    if (item.type !== 'assistant') return [];
    ids.enter(item);
    const given = item.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []));
    return [given.map((callId) => ids.idOf(callId))];
  });
}

describe.each(forms)('the ids of calls for %s', (_name, form, pattern) => {
  it('are taken by the provider, differ, and are the same each time', () => {
    const callId = fc.oneof(
      fc.string(),
      fc.constantFrom('functions.note:0', 'functions.note:1', 'functions_note_0', 'call_1', 'a'.repeat(90)),
    );
    const answers = fc.array(fc.uniqueArray(callId, { maxLength: 4 }), { maxLength: 5 });
    fc.assert(
      fc.property(answers, (all) => {
        const conversation = all.map((callIds) => asking(callIds));
        const given = idsOf(form, conversation);
        expect(given.map((ids) => ids.length)).toEqual(all.map((ids) => ids.length));
        const flat = given.flat();
        for (const id of flat) expect(id).toMatch(pattern);
        expect(new Set(flat).size).toBe(flat.length);
        expect(idsOf(form, conversation)).toEqual(given);
        // What was sent stays what it is while the conversation grows.
        expect(idsOf(form, [...conversation, asking(['functions.note:0'])]).slice(0, -1)).toEqual(given);
      }),
    );
  });

  it('leave alone those of the provider itself, which no other gets', () => {
    const own = ['functions.note:0', 'abcdefghi'];
    const given = idsOf(form, [asking(own), asking(own, 'own'), asking(own)]);
    expect(given[1]).toEqual(own);
    expect(new Set(given.flat()).size).toBe(6);
  });
});
