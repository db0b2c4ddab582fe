import { describe, expect, it } from 'vitest';
import { type FileChange, MemoryFilesystem } from 'weakincentives';
import { formatChangeDiff } from '../../../../../src/cli/report/text/change-diff.ts';

const plain = { maxLines: 200, style: (_tone: string, text: string) => text };

async function changes(
  files: Record<string, string | Uint8Array>,
  change: (filesystem: MemoryFilesystem) => Promise<unknown>,
): Promise<readonly FileChange[]> {
  const filesystem = new MemoryFilesystem({ files });
  const before = await filesystem.snapshot();
  await change(filesystem);
  return filesystem.changesSince(before);
}

describe('formatChangeDiff', () => {
  it('shows created, modified and removed files as a unified diff', async () => {
    const changed = await changes({ 'a.txt': 'one\ntwo\n', 'b.txt': 'gone\n' }, async (filesystem) => {
      await filesystem.write('a.txt', 'one\n2\n');
      await filesystem.remove('b.txt');
      await filesystem.write('c.txt', 'new\n');
    });
    expect(formatChangeDiff(changed, plain)).toEqual([
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,2 +1,2 @@',
      ' one',
      '-two',
      '+2',
      '--- a/b.txt',
      '+++ /dev/null',
      '@@ -1,1 +0,0 @@',
      '-gone',
      '--- /dev/null',
      '+++ b/c.txt',
      '@@ -0,0 +1,1 @@',
      '+new',
    ]);
  });

  it('says of binary files and of directories only that they differ', async () => {
    const changed = await changes({ 'a.bin': new Uint8Array([0, 1]) }, async (filesystem) => {
      await filesystem.write('a.bin', new Uint8Array([0, 2, 3]));
      await filesystem.mkdir('empty');
    });
    expect(formatChangeDiff(changed, plain)).toEqual([
      'Binary files a/a.bin and b/a.bin differ (3 bytes now)',
      'created directory empty/',
    ]);
  });

  it('quotes names that would be lines or orders of their own', async () => {
    const name = 'a.txt\n+++ b/etc/passwd\u202e';
    const shown = 'a.txt\\n+++ b/etc/passwd\\u202e';
    const changed = await changes({}, async (filesystem) => {
      await filesystem.write(name, 'x\n');
      await filesystem.mkdir(`d/${name}`);
      await filesystem.write(`${name}.bin`, new Uint8Array([0]));
    });
    const lines = formatChangeDiff(changed, plain);
    expect(lines).toEqual([
      '--- /dev/null',
      `+++ "b/${shown}"`,
      '@@ -0,0 +1,1 @@',
      '+x',
      `Binary files /dev/null and "b/${shown}.bin" differ (1 byte now)`,
      `created directory "d/${shown}/"`,
    ]);
  });

  it('is bounded and says what it leaves out', async () => {
    const changed = await changes({}, (filesystem) => filesystem.write('a.txt', 'x\n'.repeat(100)));
    const lines = formatChangeDiff(changed, { ...plain, maxLines: 10 });
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('… 93 more lines; --full shows all');
  });

  it('spells out control characters of a file', async () => {
    const changed = await changes({}, (filesystem) => filesystem.write('a.txt', 'x\u001b[2Jy\n'));
    expect(formatChangeDiff(changed, plain)).toContain('+x<U+001B>[2Jy');
  });
});
