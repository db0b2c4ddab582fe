import { describe, expect, test } from 'vitest';
import { MemoryFilesystem, PolicyDecision, Session, ToolCallLog, type ToolPolicy } from 'weakincentives';
import { functionCall } from '../../../support/openai-responses.ts';
import {
  answeringItems,
  type Item,
  inBothModes,
  listIn,
  openaiAdapters,
  outputsIn,
  patchCall,
  typedPrompt,
} from '../../../support/typed-wires.ts';

const typed = { openai: { applyPatch: true } };
const text = '1\r\n2\r\n3\r\n';

describe.each(inBothModes(openaiAdapters))(
  'an apply_patch_call on %s, streaming: %s',
  (_name, streaming, make) => {
    const run = async (items: readonly Item[], policies: readonly ToolPolicy[] = []) => {
      const filesystem = new MemoryFilesystem({ files: { a: text, b: 'b', old: 'x' } });
      const session = new Session();
      const reads = ['a', 'old'].map((path) => functionCall(`r_${path}`, 'read_file', { file_path: path }));
      const { adapter, requests } = answeringItems(make, reads, items);
      await adapter.evaluate(typedPrompt({ filesystem, typed, more: { policies } }), {
        session,
        streaming,
        input: 'Begin.',
      });
      const outputs = outputsIn(requests[2]).filter(({ call_id: id }) => !String(id).startsWith('r_'));
      return { filesystem, outputs, requests, session };
    };

    test('is declared in the place of the tools that write, and answered in its shape', async () => {
      const { filesystem, outputs, requests, session } = await run([
        patchCall('p1', { type: 'create_file', path: 'new', diff: '+n\n+' }),
        patchCall('p2', { type: 'update_file', path: 'a', diff: '@@\n-1\n+one\n 2\n@@\n-none\n+x' }),
        patchCall('p3', { type: 'delete_file', path: 'old' }),
        patchCall('p4', { type: 'update_file', path: 'a', diff: '@@\n 1\n-2\n+two' }),
        patchCall('p5', { type: 'create_file', path: 'a', diff: '+n' }),
      ]);
      const tools = listIn(requests[0], 'tools');
      expect(tools[0]).toEqual({ type: 'apply_patch' });
      const names = tools.map(({ name }) => name);
      for (const name of ['write_file', 'edit_file', 'apply_patch']) expect(names).not.toContain(name);
      for (const name of ['read_file', 'rm', 'shell_execute']) expect(names).toContain(name);
      expect(outputs.map(({ call_id: id, status, type }) => [type, id, status])).toEqual([
        ['apply_patch_call_output', 'p1', 'completed'],
        ['apply_patch_call_output', 'p2', 'failed'],
        ['apply_patch_call_output', 'p3', 'completed'],
        ['apply_patch_call_output', 'p4', 'completed'],
        ['apply_patch_call_output', 'p5', 'failed'],
      ]);
      expect((await filesystem.read('a')).text).toBe('1\r\ntwo\r\n3\r\n');
      expect((await filesystem.read('new')).text).toBe('n\n');
      await expect(filesystem.read('old')).rejects.toThrow();
      expect(session.slice(ToolCallLog).all().slice(2)).toMatchObject(
        ['p1', 'p2', 'p3', 'p4', 'p5'].map((callId) => ({
          callId,
          toolName: 'apply_patch',
          providerKind: 'openai.apply_patch',
        })),
      );
    });

    test('is under the rules of the tools whose place it takes', async () => {
      const closed: ToolPolicy = {
        name: 'closed',
        check: ({ tool: { name } }) =>
          name === 'apply_patch' ? PolicyDecision.deny('Closed.') : PolicyDecision.allow(),
      };
      const unread = await run([patchCall('p1', { type: 'update_file', path: 'b', diff: '@@\n-b\n+c' })]);
      expect(unread.outputs).toMatchObject([{ status: 'failed', output: expect.stringContaining('read') }]);
      expect((await unread.filesystem.read('b')).text).toBe('b');
      const denied = await run([patchCall('p1', { type: 'create_file', path: 'c', diff: '+c' })], [closed]);
      expect(denied.outputs).toEqual([
        {
          type: 'apply_patch_call_output',
          call_id: 'p1',
          status: 'failed',
          output: expect.stringContaining('Closed.'),
        },
      ]);
      await expect(denied.filesystem.read('c')).rejects.toThrow();
    });
  },
);
