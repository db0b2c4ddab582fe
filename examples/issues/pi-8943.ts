// A model writes an id of 19 digits, the tool gets another one, and the model reads the wrong id as its own.
// Thread: https://github.com/earendil-works/pi/issues/8943
// Group: Tools
// Steps: A model asks for the order 2512292042121000001, which a JavaScript number rounds to …000: of a tool that takes numbers, then of one that takes texts.
// Asserted: No tool gets another id. Where only a number is allowed the call is refused by its path; where a text is, the tool gets all digits.
// Compared: issues/pi-8943
import assert from 'node:assert/strict';
import {
  defineAgent,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const id = '2512292042121000001';
const given: unknown[] = [];
const lookUp = (name: string, inputSchema: z.ZodObject<{ id: z.ZodType }>) =>
  tool({
    name,
    description: 'Looks up an order.',
    inputSchema,
    effects: 'read',
    execute: (params) => {
      given.push(params['id']);
      return ToolResult.ok(null, 'Found.');
    },
  });
const byNumber = lookUp('by_number', z.object({ id: z.number() }));
const byText = lookUp('by_text', z.object({ id: z.string() }));
const task = section({ title: 'Task', key: 'task', template: 'Look it up.', tools: [byNumber, byText] });
const agent = defineAgent({
  template: promptTemplate({ ns: 'issues', key: 'pi-8943', sections: [task] }),
  adapter: scriptedAdapter([
    // As it comes from a provider: a text that is not parsed yet.
    { toolCalls: [{ name: 'by_number', arguments: `{"id": ${id}}` }] },
    { toolCalls: [{ name: 'by_text', arguments: `{"id": ${id}}` }] },
    { text: 'Found.' },
  ]),
});
await using session = new Session();
const { conversation } = await runAgent(agent, { session });

assert.deepEqual(given, [id]);
const [refused, taken] = session.slice(ToolCallLog).all();
assert.deepEqual([refused?.outcome, taken?.outcome], ['rejected', 'committed']);
assert.match(refused?.modelText ?? '', /\bid\b/);
assert.ok(!JSON.stringify(conversation).includes('2512292042121000000'));
console.log('holds: the tool for numbers is not called, the one for texts gets all 19 digits');
