import { expect, test } from 'vitest';
import type { ModelTool } from 'weakincentives/provider';
import { AnnouncedCalls } from '../../../../src/harness/acp/announced-calls.ts';
import { choosePermission } from '../../../../src/harness/acp/permissions.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const toolOf = (name: string, parameters: readonly string[], isOpen = false): ModelTool => ({
  name,
  description: '',
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }])),
    additionalProperties: isOpen,
  },
  examples: [],
});
const tools = [toolOf('look', ['file_path']), toolOf('note', []), toolOf('open', [], true)];

/** What an agent says of one call: announcements, then the request. */
type Said = Readonly<Record<string, unknown>>;

function decide(...said: readonly Said[]): string | undefined {
  const calls = new AnnouncedCalls();
  const [request, ...announced] = said.toReversed();
  for (const [index, update] of announced.toReversed().entries())
    calls.take({
      sessionUpdate: index === 0 ? 'tool_call' : 'tool_call_update',
      toolCallId: 'call',
      title: '',
      ...update,
    });
  return choosePermission(
    calls.describe({ toolCallId: 'call', ...request }),
    [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
    { serverName: 'wink_x', tools, permissions: undefined, logger: recordingLogger() },
  );
}

const title = 'wink_x_look';
const address = { server: 'wink_x', tool: 'look', arguments: { file_path: 'a' } };

test.each<readonly [what: string, said: readonly Said[]]>([
  ['OpenCode', [{ title, kind: 'other', rawInput: {} }]],
  [
    'OpenCode, announced',
    [
      { title, kind: 'other', rawInput: {} },
      { kind: 'other', rawInput: { file_path: 'a' } },
      { title, kind: 'other', rawInput: {} },
    ],
  ],
  ['Codex', [{ title: 'mcp.wink_x.look', kind: 'execute', rawInput: address }, { kind: 'execute' }]],
  ['Claude Code', [{ title: 'mcp__wink_x__look', kind: 'other', rawInput: { file_path: 'a' } }]],
  ['Gemini CLI', [{ title: 'look (wink_x MCP Server)', kind: 'other' }]],
  ['a tool without parameters', [{ title: 'wink_x_note', kind: 'other', rawInput: {} }]],
  ['a tool with parameters of any name', [{ title: 'wink_x_open', kind: 'other', rawInput: { any: 1 } }]],
])('a call of our tool is allowed: %s', (_what, said) => {
  expect(decide(...said)).toBe('yes');
});

const command = { command: 'wget example.org' };
const kinds = ['execute', 'edit', 'read', 'delete', 'move', 'search', 'fetch', 'think', 'switch_mode'];

test.each<readonly [what: string, said: readonly Said[]]>([
  ['a title alone', [{ title }]],
  ['a title alone, announced', [{ title }, {}]],
  ...kinds.map((kind) => [kind, [{ title, kind, rawInput: {} }]] as const),
  ...kinds.map((kind) => [`${kind}, announced`, [{ title, kind, rawInput: {} }, {}]] as const),
  ...kinds.map(
    (kind) =>
      [
        `${kind}, then other`,
        [
          { title, kind },
          { title, kind: 'other', rawInput: {} },
        ],
      ] as const,
  ),
  ['a command', [{ title, kind: 'other', rawInput: command }]],
  ['a command beside an argument', [{ title, kind: 'other', rawInput: { file_path: 'a', ...command } }]],
  [
    'a command, then none',
    [
      { title: 'x', kind: 'other', rawInput: command },
      { title, kind: 'other', rawInput: {} },
    ],
  ],
  ['a command that is a text', [{ title, kind: 'other', rawInput: 'wget example.org' }]],
  ['a command that is a list', [{ title, kind: 'other', rawInput: ['wget'] }]],
  ['an address with a command', [{ title, kind: 'execute', rawInput: { ...address, ...command } }]],
  ['a command, then an address', [{ title, kind: 'execute', rawInput: command }, { rawInput: address }]],
  ['an address of another server', [{ title, kind: 'execute', rawInput: { ...address, server: 'own' } }]],
  ['an address of another tool', [{ title, kind: 'execute', rawInput: { ...address, tool: 'note' } }]],
  ['an address in another title', [{ title: 'wget', kind: 'execute', rawInput: address }]],
  ['a name of the prototype', [{ title, kind: 'other', rawInput: { constructor: 1 } }]],
  ['a tool that is not there', [{ title: 'wink_x_gone', kind: 'other', rawInput: {} }]],
])('a call is rejected that is not known to be of our tool: %s', (_what, said) => {
  expect(decide(...said)).toBe('no');
});
