// A person stops a running tool, and from then on the provider refuses every request: a call in the history has no result.
// Thread: https://github.com/anomalyco/opencode/issues/8312
// Group: Parallel calls
// Steps: A turn has two calls. The run is stopped while the second is running. Then the conversation continues.
// Asserted: Every call in the history has its result, in the next item that may hold it. A provider that checks this answers.
// Compared: issues/opencode-8312
import assert from 'node:assert/strict';
import {
  type ConversationItem,
  defineAgent,
  PromptEvaluationError,
  promptTemplate,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const stop = new AbortController();
const look = tool({
  name: 'look',
  description: 'Looks.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Seen.'),
});
const edit = tool({
  name: 'edit',
  description: 'Edits.',
  effects: 'state',
  execute: async (_params, { signal }) => {
    stop.abort();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return ToolResult.ok(null);
  },
});

/** As providers do: 400 unless the results of the calls follow directly. */
function refuseOrphans(conversation: readonly ConversationItem[]): void {
  const open = new Set<string>();
  for (const item of conversation) {
    if (item.type === 'tool-result') open.delete(item.callId);
    else assert.deepEqual([...open], [], '400: a call has no result');
    if (item.type !== 'assistant') continue;
    for (const part of item.content) if (part.type === 'tool-call') open.add(part.callId);
  }
  assert.deepEqual([...open], [], '400: a call has no result');
}

const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'opencode-8312',
    sections: [section({ title: 'Task', key: 'task', template: 'Edit.', tools: [look, edit] })],
  }),
});
const adapter = scriptedAdapter([{ toolCalls: [{ name: 'look' }, { name: 'edit' }] }]);
const stopped: unknown = await runAgent(agent, { adapter, input: 'Edit it.', signal: stop.signal }).catch(
  (error: unknown) => error,
);
assert.ok(PromptEvaluationError.isInstance(stopped));
const history = stopped.conversation;
refuseOrphans(history);
assert.equal(history.filter(({ type }) => type === 'tool-result').length, 2);

const strict = scriptedAdapter((conversation) => {
  refuseOrphans(conversation);
  return { text: 'I was stopped. What should I do?' };
});
const next = await runAgent(agent, { adapter: strict, history, input: 'Continue.' });
assert.equal(next.text, 'I was stopped. What should I do?');
console.log('holds: both calls have a result, and a provider that checks it answers the next message');
