// The model calls a tool that does not exist, or with wrong arguments, and the whole run ends with an error.
// Thread: https://github.com/langchain-ai/langchainjs/issues/9843
// Group: Parallel calls
// Steps: A model calls "forecast_tool" first, then the weather tool without its field, then with arguments that are not JSON.
// Asserted: Each call is answered with what is wrong and what there is. The model corrects itself in the same run.
// Compared: bad-call
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
import { z } from 'zod';

const weather = tool({
  name: 'weather',
  description: 'Gets the weather of a place.',
  inputSchema: z.object({ location: z.string() }),
  effects: 'read',
  execute: ({ location }) => ToolResult.ok(null, `Weather in ${location}: sunny`),
});
let seen: readonly ConversationItem[] = [];
const script = [
  { name: 'forecast_tool', arguments: { foo: 'bar' } },
  { name: 'weather', arguments: { place: 'Paris' } },
  { name: 'weather', arguments: '{"location": "Par' },
  { name: 'weather', arguments: { location: 'Paris' } },
];
const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'langchainjs-9843',
    sections: [section({ title: 'Task', key: 'task', template: 'Tell the weather.', tools: [weather] })],
  }),
  adapter: scriptedAdapter((conversation, { turn }) => {
    seen = conversation;
    const call = script[turn - 1];
    return call === undefined ? { text: 'It is sunny.' } : { toolCalls: [call] };
  }),
});
await assert.doesNotReject(runAgent(agent));

const [unknown, wrongField, notJson, right] = seen.flatMap((item) =>
  item.type === 'tool-result' ? [item] : [],
);
assert.deepEqual([unknown?.isError, wrongField?.isError, notJson?.isError], [true, true, true]);
assert.match(unknown?.text ?? '', /forecast_tool.*weather/s);
assert.match(wrongField?.text ?? '', /location/);
assert.match(notJson?.text ?? '', /JSON/);
assert.equal(right?.text, 'Weather in Paris: sunny');
console.log('holds: three bad calls are answered with what is wrong, and the fourth succeeds');
