import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { withGivenTexts } from '../../../../src/cli/options/given-texts.ts';

let file = '';

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'wink-texts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  file = join(folder, 'text');
});

const { signal } = new AbortController();
const given = (argv: readonly string[], input?: NodeJS.ReadableStream) =>
  withGivenTexts(argv, { input, signal });

describe('texts of a command line', () => {
  it.each([
    ['--input', 'Hé, 世界\n'],
    ['--params', '{"a":"--json"}'],
    ['--input', ''],
    ['--input', '--apply'],
    ['--input', '\uFEFFafter a mark'],
  ])('are read from a file: %s %j', async (name, text) => {
    writeFileSync(file, text);
    const expected = {
      argv: ['run', 'a.ts', `${name}=${text.replace('\uFEFF', '')}`, '--json'],
      files: [file],
      isInputRead: false,
    };
    expect(await given(['run', 'a.ts', name, `@${file}`, '--json'])).toEqual(expected);
    expect(await given(['run', 'a.ts', `${name}=@${file}`, '--json'])).toEqual(expected);
  });

  it('are read from the standard input, in any pieces', async () => {
    const bytes = Buffer.from('Hé, 世界\n');
    const pieces = (size: number): Readable =>
      Readable.from(
        Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        ),
      );
    for (const size of [1, 2, 5, 100]) {
      expect(await given(['resume', 'r', '--input', '-'], pieces(size))).toEqual({
        argv: ['resume', 'r', '--input=Hé, 世界\n'],
        files: [],
        isInputRead: true,
      });
    }
  });

  it.each([
    [[]],
    [['run', '--input']],
    [['run', '--input', 'ada@example.org']],
    [['run', '--params', '-']],
    [['run', '--mcp', '@file']],
    [['run', '--', '--input', '@file']],
    [['run', '@file']],
  ])('are as they are written in %j', async (argv) => {
    expect(await given(argv)).toEqual({ argv, files: [], isInputRead: false });
  });

  it('begin with @ when it is doubled', async () => {
    expect((await given(['run', '--input', '@@ada, look.'])).argv).toEqual(['run', '--input=@ada, look.']);
  });

  it('are refused when they cannot be read', async () => {
    await expect(given(['run', '--input', '@'])).rejects.toThrow(
      '--input is "@"; name the file: --input @FILE.',
    );
    await expect(given(['run', '--input', '@none'])).rejects.toThrow(
      'the file "none" of --input cannot be read: no such file or directory. For a text that begins with @ write @@.',
    );
    await expect(given(['run', '--input', '-'])).rejects.toThrow(
      '--input - reads the standard input, which is a terminal here: write the text, or @FILE.',
    );
    writeFileSync(file, Buffer.from([0xff, 0x41]));
    await expect(given(['run', `--params=@${file}`])).rejects.toThrow('of --params is not UTF-8 text.');
  });

  it('end with the signal', async () => {
    const controller = new AbortController();
    const reading = withGivenTexts(['run', '--input', '-'], {
      input: new Readable({ read: () => undefined }),
      signal: controller.signal,
    });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});
