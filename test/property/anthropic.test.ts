import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConversationItem } from 'weakincentives';
import { toMessages } from '../../src/providers/anthropic/messages.ts';
import { markPrefixes } from '../../src/providers/anthropic/request.ts';
import { readMessageStream } from '../../src/providers/anthropic/stream.ts';
import {
  type Block,
  message,
  serverToolUse,
  text,
  thinking,
  toolUse,
} from '../support/anthropic-messages.ts';
import { toEvents } from '../support/anthropic-stream.ts';

const words = fc.string({ unit: 'grapheme', maxLength: 12 });
const name = fc.constantFrom('a', 'b');
const input = fc.dictionary(
  words,
  fc.jsonValue({ depthSize: 'small' }).map((value) => JSON.parse(JSON.stringify(value))),
);
const block: fc.Arbitrary<Block> = fc.oneof(
  fc
    .tuple(words, fc.option(fc.array(fc.record({ url: words }), { minLength: 1 })))
    .map(([said, citations]) => text(said, citations)),
  fc.tuple(words, words).map(([thought, signature]) => thinking(thought, signature)),
  fc
    .record({ content: fc.option(words), encrypted_content: fc.option(words) })
    .map((summary) => ({ type: 'compaction', ...summary })),
  fc.tuple(name, input).map(([id, value]) => toolUse(id, 'tool', value)),
  fc.tuple(name, input).map(([id, value]) => serverToolUse(id, 'web_search', value)),
  fc
    .record({ type: fc.constant('web_search_tool_result'), content: fc.jsonValue() })
    .map((result) => JSON.parse(JSON.stringify(result))),
);

describe('a streamed message', () => {
  it('is the one that comes without a stream', async () => {
    const { signal } = new AbortController();
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 6 }), async (blocks) => {
        const whole = message(blocks, { container: { id: 'c' } });
        const events = (async function* () {
          yield* toEvents(whole);
        })();
        expect(await readMessageStream(events, { signal })).toEqual(whole);
      }),
    );
  });
});

describe('a conversation', () => {
  const said: fc.Arbitrary<ConversationItem> = words.map((one) => ({
    type: 'user',
    content: [{ type: 'text', text: one }],
  }));
  const answered: fc.Arbitrary<ConversationItem> = fc
    .tuple(fc.boolean(), fc.boolean(), fc.array(block, { maxLength: 3 }), words)
    .map(([isOwn, isPaused, blocks, one]) => ({
      type: 'assistant',
      content: [{ type: 'text', text: one }],
      raw: {
        provider: isOwn ? 'anthropic' : 'other',
        items: [...blocks, ...(isPaused ? [{ type: 'message_end', stop_reason: 'pause_turn' }] : [])],
      },
    }));
  const result: fc.Arbitrary<ConversationItem> = fc
    .tuple(name, words)
    .map(([callId, one]) => ({ type: 'tool-result', callId, toolName: 'tool', text: one, isError: false }));
  const conversations = fc.array(fc.oneof(said, answered, result), { maxLength: 10 });

  it('begins with a user, says nothing empty, and only grows from answer to answer', () => {
    fc.assert(
      fc.property(conversations, (conversation) => {
        const messages = toMessages(conversation, 'anthropic');
        expect(messages[0]?.role).toBe('user');
        expect(messages.filter(({ content }) => content.length === 0)).toEqual([]);
        for (const [index, item] of conversation.entries()) {
          if (item.type !== 'assistant') continue;
          // What was asked before this answer is what the whole conversation begins with.
          const before = toMessages(conversation.slice(0, index), 'anthropic');
          const withAnswer = toMessages(conversation.slice(0, index + 1), 'anthropic');
          if (withAnswer.length > before.length) expect(messages.slice(0, before.length)).toEqual(before);
        }
      }),
    );
  });

  it('is marked in at most two places, on copies, never at thinking', () => {
    fc.assert(
      fc.property(conversations, (conversation) => {
        const messages = toMessages(conversation, 'anthropic');
        const control = { type: 'ephemeral' } as const;
        const before = JSON.stringify(messages);
        const marked = markPrefixes(
          { model: 'm', max_tokens: 1, messages },
          { prefix: control, conversation: control },
        );
        expect(JSON.stringify(messages)).toBe(before);
        const blocks = marked.messages.flatMap(({ content }): readonly object[] => content);
        const ends = blocks.filter((one) => Object.hasOwn(one, 'cache_control'));
        expect(ends.length).toBeLessThanOrEqual(2);
        expect(ends.map((one) => Reflect.get(one, 'type'))).not.toContain('thinking');
        expect(JSON.stringify(marked.messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '')).toBe(
          before,
        );
      }),
    );
  });
});
