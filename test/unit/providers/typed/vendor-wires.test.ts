import type {
  ContentBlockParam,
  MemoryTool20250818,
  ToolBash20250124,
  ToolResultBlockParam,
  ToolTextEditor20250728,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages/messages';
import OpenAI from 'openai';
import type {
  ApplyPatchTool,
  FunctionShellTool,
  ResponseApplyPatchToolCall,
  ResponseFunctionShellToolCall,
  ResponseInputItem,
  ResponseToolSearchCall,
  ResponseToolSearchOutputItemParam,
  ToolChoiceAllowed,
  ToolChoiceApplyPatch,
  ToolChoiceFunction,
  ToolChoiceShell,
  ToolSearchTool,
} from 'openai/resources/responses/responses';
import { expect, test } from 'vitest';
import { type EvaluateOptions, section, ToolResult, tool } from 'weakincentives';
import { openai } from 'weakincentives/openai';
import { z } from 'zod';
import {
  answeringBlocks,
  answeringItems,
  anthropicAdapters,
  listIn,
  type MakeAdapter,
  openaiAdapters,
  outputsIn,
  resultsIn,
  typedPrompt,
} from '../../../support/typed-wires.ts';

// What goes over the wire equals values that the vendor's own types accept: `satisfies` refuses members that they do not have.

const searching: MakeAdapter = (fetch) =>
  openai({
    model: 'gpt-5.4',
    client: new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 }),
    openedTools: 'tool-search',
  });

const shell = { type: 'shell', environment: { type: 'local' } } satisfies FunctionShellTool;
const patch = { type: 'apply_patch' } satisfies ApplyPatchTool;
const search = {
  type: 'tool_search',
  execution: 'client',
  description: 'The description.',
  parameters: {},
} satisfies ToolSearchTool;

const shellCall = {
  id: 'sh_1',
  type: 'shell_call',
  call_id: 'c1',
  status: 'completed',
  action: { commands: ['echo a', 'warn no; exit 3', 'hang'], timeout_ms: null, max_output_length: 100 },
  environment: { type: 'local' },
} satisfies ResponseFunctionShellToolCall;
const patchCall = {
  id: 'ap_1',
  type: 'apply_patch_call',
  call_id: 'p1',
  status: 'completed',
  operation: { type: 'create_file', path: 'n', diff: '+n' },
} satisfies ResponseApplyPatchToolCall;
const deleteCall = {
  ...patchCall,
  id: 'ap_2',
  call_id: 'p2',
  operation: { type: 'delete_file', path: 'of nobody' },
} satisfies ResponseApplyPatchToolCall;
const searchCall = {
  id: 'ts_1',
  type: 'tool_search_call',
  call_id: 's1',
  status: 'completed',
  execution: 'client',
  arguments: { section_keys: ['disk'], reason: 'Look.' },
} satisfies ResponseToolSearchCall;

const shellOutput = {
  type: 'shell_call_output',
  call_id: 'c1',
  max_output_length: 100,
  output: [
    { stdout: 'a\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
    { stdout: '', stderr: 'no\n', outcome: { type: 'exit', exit_code: 3 } },
    { stdout: '', stderr: '', outcome: { type: 'timeout' } },
  ],
} satisfies ResponseInputItem.ShellCallOutput;
const patchOutput = {
  type: 'apply_patch_call_output',
  call_id: 'p1',
  status: 'completed',
  output: 'Any text.',
} satisfies ResponseInputItem.ApplyPatchCallOutput;
const failedOutput = {
  ...patchOutput,
  call_id: 'p2',
  status: 'failed',
} satisfies ResponseInputItem.ApplyPatchCallOutput;
const searchOutput = {
  type: 'tool_search_output',
  call_id: 's1',
  execution: 'client',
  status: 'completed',
  tools: [
    {
      type: 'namespace',
      name: 'disk',
      description: 'Disk',
      tools: [
        {
          type: 'function',
          name: 'disk_read',
          description: 'Reads the disk.',
          parameters: {
            type: 'object',
            properties: { at: { type: 'string' } },
            required: ['at'],
            additionalProperties: false,
          },
          strict: true,
          defer_loading: true,
        },
      ],
    },
  ],
} satisfies ResponseToolSearchOutputItemParam;

const disk = section({
  title: 'Disk',
  key: 'disk',
  template: 'All of the disk.',
  summary: 'A disk.',
  visibility: 'summary',
  tools: [
    tool({
      name: 'disk_read',
      description: 'Reads the disk.',
      inputSchema: z.strictObject({ at: z.string() }),
      effects: 'read',
      execute: () => ToolResult.ok(null, 'read'),
    }),
  ],
});

const anyText: unknown = expect.any(String);
const both = { openai: { shell: true, applyPatch: true } };

test('OpenAI: declarations, calls and their answers are those of the vendor', async () => {
  const { adapter, requests } = answeringItems(searching, [shellCall, patchCall, deleteCall, searchCall]);
  await adapter.evaluate(typedPrompt({ typed: both, sections: [disk] }), { input: 'Begin.' });
  const declared = listIn(requests[0], 'tools').filter(({ type }) => type !== 'function');
  expect(declared).toEqual([
    shell,
    patch,
    { ...search, description: anyText, parameters: expect.objectContaining({ type: 'object' }) },
  ]);
  const items = listIn(requests[1], 'input');
  expect(items.slice(1, 5)).toEqual([shellCall, patchCall, deleteCall, searchCall]);
  expect(outputsIn(requests[1])).toEqual([
    shellOutput,
    { ...patchOutput, output: anyText },
    { ...failedOutput, output: anyText },
    searchOutput,
  ]);
});

const bash = { type: 'bash_20250124', name: 'bash' } satisfies ToolBash20250124;
const editor = {
  type: 'text_editor_20250728',
  name: 'str_replace_based_edit_tool',
} satisfies ToolTextEditor20250728;
const memory = { type: 'memory_20250818', name: 'memory' } satisfies MemoryTool20250818;

const use = (id: string, name: string, input: unknown) =>
  ({ type: 'tool_use', id, name, input, caller: { type: 'direct' } }) satisfies ToolUseBlock &
    ContentBlockParam;
const uses = [
  use('t1', 'bash', { command: 'echo a' }),
  use('t2', 'bash', { command: 'exit 3' }),
  use('t3', 'str_replace_based_edit_tool', { command: 'create', path: 'n', file_text: 'n' }),
  use('t4', 'memory', { command: 'view', path: '/memories' }),
];
const answered = {
  type: 'tool_result',
  tool_use_id: 't1',
  content: 'Any text.',
} satisfies ToolResultBlockParam;
const failed = { ...answered, tool_use_id: 't2', is_error: true } satisfies ToolResultBlockParam;

test('Anthropic: declarations, calls and their answers are those of the vendor', async () => {
  const { adapter, requests } = answeringBlocks(anthropicAdapters.native, uses);
  await adapter.evaluate(typedPrompt(), { input: 'Begin.' });
  const declared = listIn(requests[0], 'tools').filter(({ type }) => type !== undefined && type !== 'custom');
  expect(declared).toEqual([bash, editor, memory]);
  expect(listIn(requests[1], 'messages')[1]).toEqual({ role: 'assistant', content: uses });
  const content = anyText;
  expect(resultsIn(requests[1])).toEqual([
    { ...answered, content },
    { ...failed, content },
    { ...answered, tool_use_id: 't3', content },
    { ...answered, tool_use_id: 't4', content },
  ]);
});

type Choice = NonNullable<EvaluateOptions['toolChoice']>;

const chooseShell = { type: 'shell' } satisfies ToolChoiceShell;
const choosePatch = { type: 'apply_patch' } satisfies ToolChoiceApplyPatch;
const chooseRead = { type: 'function', name: 'read_file' } satisfies ToolChoiceFunction;
const allowed = {
  type: 'allowed_tools',
  mode: 'required',
  // The vendor's type takes any object as a tool: each is one that can be chosen.
  tools: [chooseShell, choosePatch, chooseRead],
} satisfies ToolChoiceAllowed;

test.each<readonly [Choice, object]>([
  [{ tool: 'shell_execute' }, chooseShell],
  [{ tool: 'apply_patch' }, choosePatch],
  [{ tool: 'read_file' }, chooseRead],
  [{ allowed: ['shell_execute', 'apply_patch', 'read_file'], required: true }, allowed],
  [
    { allowed: ['shell_execute'] },
    { ...allowed, mode: 'auto', tools: [chooseShell] } satisfies ToolChoiceAllowed,
  ],
])('OpenAI: the choice of %j is one of the vendor', async (toolChoice, expected) => {
  const { adapter, requests } = answeringItems(openaiAdapters.native);
  await adapter.evaluate(typedPrompt({ typed: both }), { input: 'Begin.', toolChoice });
  expect(requests[0]?.body['tool_choice']).toEqual(expected);
});
