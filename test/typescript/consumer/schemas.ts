import assert from 'node:assert/strict';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { jsonSchema, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const read: string[] = [];

const withArkType = tool({
  name: 'with_arktype',
  description: 'Takes an id.',
  inputSchema: type({ id: 'string' }),
  execute: ({ id }) => ToolResult.ok(read.push(id.toUpperCase())),
});
const withValibot = tool({
  name: 'with_valibot',
  description: 'Takes an id.',
  inputSchema: toStandardJsonSchema(v.object({ id: v.string() })),
  execute: ({ id }) => ToolResult.ok(read.push(id.toUpperCase())),
});
const withJsonSchema = tool({
  name: 'with_json_schema',
  description: 'Takes an id.',
  inputSchema: jsonSchema<{ id: string }>({
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
  }),
  execute: ({ id }) => ToolResult.ok(read.push(id.toUpperCase())),
});

const tools = [withArkType, withValibot, withJsonSchema];
const task = section({ title: 'Task', key: 'task', template: 'Call each tool.', tools });
await scriptedAdapter([
  { toolCalls: tools.map(({ name }) => ({ name, arguments: { id: name.slice(5) } })) },
  { text: 'done' },
]).evaluate(promptTemplate({ ns: 'examples', key: 'schemas', sections: [task] }).bind());
assert.deepEqual(read, ['ARKTYPE', 'VALIBOT', 'JSON_SCHEMA']);
