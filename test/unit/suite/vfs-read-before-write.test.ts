import { describe, expect, it } from 'vitest';
import { binding, Filesystem, MemoryFilesystem, promptTemplate } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

type Call = readonly [name: string, params: Readonly<Record<string, string | number>>];

/** The results of calls, each in a turn of its own, and the files after them. */
async function run(
  files: Readonly<Record<string, string>>,
  calls: readonly Call[],
): Promise<{ readonly results: readonly string[]; readonly filesystem: MemoryFilesystem }> {
  const filesystem = new MemoryFilesystem({ files });
  const prompt = promptTemplate({ ns: 'test', key: 'reads', sections: [vfsToolsSection()] });
  const turns = calls.map(([name, params]) => ({ toolCalls: [{ name, arguments: params }] }));
  const { conversation } = await scriptedAdapter([...turns, { text: 'Done.' }]).evaluate(
    prompt.bind({}, { resources: [binding(Filesystem, { instance: filesystem })] }),
  );
  const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  return { results, filesystem };
}

const insert: Call = ['edit_file', { file_path: 'd/a.txt', insert_line: 1, new_string: 'x' }];

describe('reading before writing, with the file tools', () => {
  it('is not done by reading the directory of a file', async () => {
    const { results, filesystem } = await run({ 'd/a.txt': 'a\nb\n' }, [
      ['read_file', { file_path: 'd' }],
      ['edit_file', { file_path: 'd/a.txt', old_string: 'a', new_string: 'x' }],
      ['write_file', { file_path: 'd/a.txt', content: 'x' }],
    ]);
    expect(results[0]).toContain('a.txt (4 bytes)');
    expect(results[1]).toContain('"d/a.txt" exists and has not been read');
    expect(results[2]).toContain('"d/a.txt" exists and has not been read');
    expect((await filesystem.read('d/a.txt')).text).toBe('a\nb\n');
  });

  it('is asked of lines that are inserted, as of an edit', async () => {
    const { results } = await run({ 'd/a.txt': 'a\nb\nc\nd\n' }, [insert]);
    expect(results[0]).toContain('"d/a.txt" exists and has not been read');
    const read: Call = ['read_file', { file_path: 'd/a.txt', limit: 1 }];
    const elsewhere: Call = ['edit_file', { file_path: 'd/a.txt', insert_line: 3, new_string: 'x' }];
    const { results: partly, filesystem } = await run({ 'd/a.txt': 'a\nb\nc\nd\n' }, [
      read,
      elsewhere,
      insert,
    ]);
    expect(partly[1]).toContain('was read in part, and this call would replace what was not read');
    expect(partly[2]).toContain('1 line inserted after line 1');
    expect((await filesystem.read('d/a.txt')).text).toBe('a\nx\nb\nc\nd\n');
  });
});
