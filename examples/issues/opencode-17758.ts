// A tool result ends in half of a character, and from then on the provider refuses every request of the conversation.
// Thread: https://github.com/anomalyco/opencode/pull/17758
// Group: Tools
// Steps: A tool cuts a text in the middle of an emoji, which leaves half of a surrogate pair. The run continues, and so does the conversation.
// Asserted: No request has such a half, which a strict parser of JSON refuses: a replacement character is in its place, and the rest of the text.
import assert from 'node:assert/strict';
import {
  type ConversationItem,
  defineAgent,
  promptTemplate,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const text = 'It works 🎉';
const search = tool({
  name: 'search',
  description: 'Searches.',
  effects: 'read',
  execute: () => ToolResult.ok(null, `Found: ${text.slice(0, -1)}`),
});

/** As providers do: 400 where JSON has an escape of half a pair. */
function refuseHalves(conversation: readonly ConversationItem[]): void {
  assert.doesNotMatch(JSON.stringify(conversation), /\\ud[89a-f]../, '400: no low surrogate in string');
}

const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'opencode-17758',
    sections: [section({ title: 'Task', key: 'task', template: 'Search.', tools: [search] })],
  }),
  adapter: scriptedAdapter((conversation, { turn }) => {
    refuseHalves(conversation);
    return turn === 1 && conversation.length < 3
      ? { toolCalls: [{ name: 'search' }] }
      : { text: 'It works.' };
  }),
});
const first = await runAgent(agent, { input: 'Search for it.' });
const [result] = first.conversation.filter((item) => item.type === 'tool-result');
assert.equal(result?.text, 'Found: It works \uFFFD');
const next = await runAgent(agent, { history: first.conversation, input: 'Thank you.' });
assert.equal(next.text, 'It works.');
console.log('holds: half of a character becomes a replacement character, and the conversation continues');
