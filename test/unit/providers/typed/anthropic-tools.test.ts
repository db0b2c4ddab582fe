import { describe, expect, test } from 'vitest';
import { type EvaluateOptions, MemoryFilesystem, PolicyDecision, Session, ToolCallLog } from 'weakincentives';
import { toolUse } from '../../../support/anthropic-messages.ts';
import type { CapturedRequest } from '../../../support/captured-requests.ts';
import {
  answeringBlocks,
  anthropicAdapters,
  type Item,
  inBothModes,
  listIn,
  type MakeAdapter,
  resultsIn,
  smallShell,
  type TypedPromptParts,
  typedPrompt,
} from '../../../support/typed-wires.ts';

const files = { a: '1\n2\n3\n4\n5\n6\n', 'src/b': 'b' };

/** The request after these blocks. */
async function afterBlocks(
  make: MakeAdapter,
  blocks: readonly Item[],
  {
    backend = smallShell(),
    filesystem = new MemoryFilesystem({ files }),
    more = {},
    ...options
  }: EvaluateOptions & TypedPromptParts,
): Promise<{ readonly requests: readonly CapturedRequest[]; readonly filesystem: MemoryFilesystem }> {
  const { adapter, requests } = answeringBlocks(make, blocks);
  await adapter.evaluate(typedPrompt({ backend, filesystem, more }), { input: 'Begin.', ...options });
  return { requests, filesystem };
}

/** The text of what answers a call. */
function textOf(result: Item | undefined): string {
  const content = result?.['content'];
  if (!Array.isArray(content)) return String(content);
  return (content as readonly Item[]).map(({ text }) => String(text)).join('');
}

describe.each(inBothModes(anthropicAdapters))(
  'tools of Anthropic on %s, streaming: %s',
  (_name, streaming, make) => {
    const after = (blocks: readonly Item[], options?: EvaluateOptions & TypedPromptParts) =>
      afterBlocks(make, blocks, { streaming, ...options });
    const answersTo = async (blocks: readonly Item[], options?: EvaluateOptions & TypedPromptParts) => {
      const { requests } = await after(blocks, options);
      const results = resultsIn(requests[1]);
      expect(results.map(({ tool_use_id: id }) => id)).toEqual(blocks.map(({ id }) => id));
      return results.map((result) => [result['is_error'] === true, textOf(result)] as const);
    };

    test('are declared in the place of the functions, by their names and types alone', async () => {
      const { requests } = await after([toolUse('t1', 'bash', { command: 'echo a' })]);
      const tools = listIn(requests[0], 'tools');
      expect(tools.slice(0, 3)).toEqual([
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
        { type: 'memory_20250818', name: 'memory' },
      ]);
      const names = tools.map(({ name }) => name);
      for (const name of ['shell_execute', 'write_file', 'edit_file', 'shell_restart'])
        expect(names).not.toContain(name);
      expect(names).toContain('read_file');
      expect(names.filter((name) => name === 'memory')).toHaveLength(1);
    });

    test('bash runs a command, and has nothing to restart', async () => {
      await using session = new Session();
      const asked: string[] = [];
      const answers = await answersTo(
        [
          toolUse('t1', 'bash', { command: 'echo a' }),
          toolUse('t2', 'bash', { command: 'echo out; exit 3' }),
          toolUse('t3', 'bash', { restart: true }),
          toolUse('t4', 'bash', {}),
          toolUse('t5', 'bash', { command: 'echo b', restart: true }),
          toolUse('t6', 'bash', { command: '' }),
        ],
        { session, backend: smallShell(asked) },
      );
      expect(answers).toEqual([
        [false, expect.stringMatching(/stdout:\na$/)],
        [true, expect.stringContaining('exit code 3')],
        [false, expect.stringMatching(/^There is nothing to restart: each command runs in a fresh shell\./)],
        [true, 'Nothing was run: give "command", a text that is not empty.'],
        [false, expect.stringMatching(/stdout:\nb$/)],
        [true, 'Nothing was run: give "command", a text that is not empty.'],
      ]);
      expect(asked).toEqual(['echo a (30000)', 'echo out; exit 3 (30000)', 'echo b (30000)']);
      expect(
        session
          .slice(ToolCallLog)
          .all()
          .map(({ outcome, providerKind, toolName }) => [providerKind, toolName, outcome]),
      ).toEqual([
        ['anthropic.bash', 'shell_execute', 'committed'],
        ['anthropic.bash', 'shell_execute', 'rolled-back'],
        ['anthropic.bash', 'shell_restart', 'committed'],
        ['anthropic.bash', 'shell_execute', 'rejected'],
        ['anthropic.bash', 'shell_execute', 'committed'],
        ['anthropic.bash', 'shell_execute', 'rejected'],
      ]);
    });

    const edit = (id: string, input: Item) => toolUse(id, 'str_replace_based_edit_tool', input);

    test('the editor views files, ranges of lines and directories', async () => {
      const answers = await answersTo([
        edit('t1', { command: 'view', path: '/workspace/a' }),
        edit('t2', { command: 'view', path: 'a', view_range: [2, 3] }),
        edit('t3', { command: 'view', path: 'a', view_range: [5, -1] }),
        edit('t4', { command: 'view', path: '/workspace' }),
        edit('t5', { command: 'view', path: 'none' }),
        edit('t6', { command: 'view', path: 'a', view_range: [3, 2] }),
        edit('t7', { command: 'view', path: 'a', view_range: null }),
        edit('t8', { command: 'view', path: 'a', view_range: [0, 2] }),
        edit('t9', { command: 'view', path: '/repo/a' }),
      ]);
      expect(answers.map(([isError]) => isError)).toEqual([
        false,
        false,
        false,
        false,
        true,
        true,
        false,
        true,
        true,
      ]);
      expect(answers[8]?.[1]).toContain('"/repo/a" is outside of the workspace.');
      expect(answers[1]?.[1]).toContain('\n2 | 2\n3 | 3\n');
      expect(answers[1]?.[1]).not.toMatch(/^[1456] \| /m);
      expect(answers[2]?.[1]).toContain('\n5 | 5\n6 | 6');
      expect(answers[2]?.[1]).not.toMatch(/^[1234] \| /m);
      expect(answers[3]?.[1]).toContain('src');
      expect(answers[5]?.[1]).toContain('"view_range" must be [first line, last line]');
      expect(answers[6]?.[1]).toBe(answers[0]?.[1]);
    });

    test('the editor creates, replaces and inserts', async () => {
      const view = edit('t0', { command: 'view', path: 'a' });
      const { filesystem, requests } = await after([
        view,
        edit('t1', { command: 'create', path: '/workspace/src/new', file_text: 'new\n' }),
        edit('t2', { command: 'str_replace', path: 'a', old_str: '3\n', new_str: 'three\n' }),
        edit('t3', { command: 'str_replace', path: 'a', old_str: '4\n' }),
        edit('t4', { command: 'insert', path: 'a', insert_line: 0, insert_text: 'top\n' }),
        edit('t5', { command: 'insert', path: 'a', insert_line: 2, new_str: 'middle\n' }),
        edit('t6', { command: 'insert', path: 'a', insert_line: 7, insert_text: 'end\n' }),
        edit('t7', { command: 'insert', path: 'a', insert_line: 99, insert_text: 'x' }),
        edit('t8', { command: 'undo_edit', path: 'a' }),
        edit('t9', { command: 'str_replace', path: 'a', old_str: '' }),
        edit('t10', { command: 'create', path: 'b' }),
        edit('t11', { command: 'insert', path: 'a', insert_text: 'x' }),
        edit('t12', { command: 'delete', path: 'a' }),
        edit('t13', {}),
        edit('t14', { command: 'create', path: '/../out', file_text: '' }),
      ]);
      const results = resultsIn(requests[1]);
      expect(results.map(({ is_error: isError }) => isError === true)).toEqual([
        ...Array.from({ length: 7 }, () => false),
        ...Array.from({ length: 8 }, () => true),
      ]);
      expect(results.slice(8, 14).map(textOf)).toEqual([
        expect.stringContaining('Nothing was done: undo_edit is of versions before'),
        expect.stringContaining('Nothing was done: str_replace needs "old_str"'),
        expect.stringContaining('Nothing was done: create needs "file_text"'),
        expect.stringContaining('Nothing was done: insert needs "insert_line"'),
        expect.stringContaining('Nothing was done: "delete" is not a command.'),
        expect.stringContaining('Nothing was done: what was asked is not a command.'),
      ]);
      expect((await filesystem.read('a')).text).toBe('top\n1\nmiddle\n2\nthree\n5\n6\nend\n');
      expect((await filesystem.read('src/new')).text).toBe('new\n');
    });

    test('memory is the tool of the section', async () => {
      const answers = await answersTo([
        toolUse('t1', 'memory', { command: 'create', path: '/memories/a.md', file_text: 'one\n' }),
        toolUse('t2', 'memory', { command: 'view', path: '/memories/a.md' }),
        toolUse('t3', 'memory', {
          command: 'str_replace',
          path: '/memories/a.md',
          old_str: 'one',
          new_str: 'two',
        }),
        toolUse('t4', 'memory', {
          command: 'insert',
          path: '/memories/a.md',
          insert_line: 1,
          insert_text: 'three\n',
        }),
        toolUse('t5', 'memory', {
          command: 'rename',
          old_path: '/memories/a.md',
          new_path: '/memories/b.md',
        }),
        toolUse('t6', 'memory', { command: 'view', path: '/memories/b.md' }),
        toolUse('t7', 'memory', { command: 'delete', path: '/memories/b.md' }),
        toolUse('t8', 'memory', { command: 'view', path: '/memories/../x' }),
        toolUse('t9', 'memory', { command: 'view', path: '/memories/%2e%2e/x' }),
        toolUse('t10', 'memory', { command: 'burn', path: '/memories' }),
      ]);
      expect(answers.map(([isError]) => isError)).toEqual([
        ...Array.from({ length: 7 }, () => false),
        ...Array.from({ length: 3 }, () => true),
      ]);
      expect(answers[5]?.[1]).toMatch(/two\n[^]*three/);
    });

    test('a call that is denied is a failed result', async () => {
      const deny = { name: 'deny', check: () => PolicyDecision.deny('Not today.') };
      const answers = await answersTo(
        [toolUse('t1', 'bash', { command: 'echo a' }), edit('t2', { command: 'view', path: 'a' })],
        { more: { policies: [deny] } },
      );
      expect(answers).toEqual([
        [true, expect.stringContaining('Not today.')],
        [true, expect.stringContaining('Not today.')],
      ]);
    });

    test('what was read with the editor may be written', async () => {
      const { filesystem, requests } = await after([
        edit('t1', { command: 'str_replace', path: 'a', old_str: '1\n', new_str: 'one\n' }),
        edit('t2', { command: 'view', path: 'a' }),
        edit('t3', { command: 'str_replace', path: 'a', old_str: '2\n', new_str: 'two\n' }),
      ]);
      expect(resultsIn(requests[1]).map(({ is_error: isError }) => isError === true)).toEqual([
        true,
        false,
        false,
      ]);
      expect((await filesystem.read('a')).text).toBe('1\ntwo\n3\n4\n5\n6\n');
    });
  },
);
