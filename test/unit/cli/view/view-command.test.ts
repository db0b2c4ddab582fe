import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import type { ViewRequest } from '../../../../src/cli/commands/view.ts';
import { openerOf, type ViewParts, viewCommand } from '../../../../src/cli/view/view-command.ts';
import {
  EmbeddedRecord,
  servedPage,
  viewerPage,
  withFileName,
} from '../../../../src/cli/view/viewer-page.ts';
import { draws } from '../../../support/draws.ts';
import { fakeEnvironment } from '../support.ts';

/** The lines of a run of 42 calls. */
const lines = readFileSync(new URL('../../../fixtures/runs/fix-issue.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const [header = ''] = lines;
const page = viewerPage(
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'"><meta name="wink-file" content="run.jsonl"><script id="record"></script><script>run()</script>',
);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wink-view-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function recordFile(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

function request(...argv: readonly string[]): ViewRequest {
  const read = readArguments(['view', ...argv]);
  if (read.kind !== 'view') throw new Error(JSON.stringify(read));
  return read;
}

async function view(argv: readonly string[], open: ViewParts['open'] = async () => undefined) {
  const environment = fakeEnvironment();
  const opened: string[] = [];
  const parts = {
    readPage: async () => page,
    open: (file: string) => {
      opened.push(file);
      return open(file);
    },
  };
  const code = await viewCommand(request(...argv), environment, parts);
  return { code, opened, printed: environment.stdout.text(), errors: environment.stderr.text() };
}

describe('arguments of wink view', () => {
  it('are a record and where its page goes', () => {
    expect(request('run.jsonl')).toMatchObject({
      file: 'run.jsonl',
      out: undefined,
      isOpened: true,
      isFollowing: false,
    });
    expect(request('run.jsonl', '--no-open')).toMatchObject({ isOpened: false });
    expect(request('run.jsonl', '--out', 'a.html')).toMatchObject({ out: 'a.html', isOpened: false });
    expect(request('--follow', 'run.jsonl')).toMatchObject({ isFollowing: true, isOpened: true });
    expect(readArguments(['view', '-h'])).toMatchObject({ kind: 'help' });
  });

  it.each([
    [[], 'no record given'],
    [['a', 'b'], 'wink view takes RUN: 1 at most, not 2.'],
    [['a', '--out', ''], '--out is empty'],
    [['a', '--out', 'b', '--follow'], '--out writes the page once'],
    [['a', '--port', '1'], 'unknown option "--port"'],
  ])('refuse %j', (argv, message) => {
    expect(readArguments(['view', ...argv])).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining(message),
    });
  });
});

describe('wink view', () => {
  it('writes a page that only the user can read, prints its path and opens it', async () => {
    const file = await recordFile('a.jsonl', `${header}\n`);
    const { code, opened, printed } = await view([file]);
    const path = printed.trim();
    expect([code, opened]).toEqual([0, [path]]);
    expect(path).toMatch(/wink-view-.*[/\\]a\.html$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
    expect(await readFile(path, 'utf8')).toContain(`id="record">${header}\n</script>`);
    await rm(join(path, '..'), { recursive: true });
  });

  it('puts the page in the place of a file, also of a link, and leaves nothing beside it', async () => {
    const file = await recordFile('b.jsonl', `${header}\n`);
    const target = await recordFile('kept.txt', 'kept');
    const link = join(folder, 'link.html');
    await symlink(target, link);
    const { opened } = await view([file, '--out', link]);
    expect(opened).toEqual([]);
    expect(await readFile(target, 'utf8')).toBe('kept');
    expect((await stat(link)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('holds nothing of a record that HTML would interpret', async () => {
    const hostile = '{"type":"later","a":"</script><script>alert(1)</script><!-- <ScRiPt"}';
    const file = await recordFile('c.jsonl', `${header}\n${hostile}\n`);
    const out = join(folder, 'c.html');
    await view([file, '--out', out]);
    const text = await readFile(out, 'utf8');
    const data = /id="record">([^]*?)<\/script>/.exec(text)?.[1] ?? '';
    expect(data).not.toMatch(/<\/?script/i);
    expect(JSON.parse(data.split('\n')[1] ?? '')).toEqual(JSON.parse(hostile));
  });

  it('copies a line of 10 MB', async () => {
    const long = JSON.stringify({ type: 'blob', hash: 'a', text: '<'.repeat(1000) + 'x'.repeat(10_000_000) });
    const file = await recordFile('d.jsonl', `${header}\n${long}\n`);
    const out = join(folder, 'd.html');
    await view([file, '--out', out]);
    const data = /id="record">([^]*?)<\/script>/.exec(await readFile(out, 'utf8'))?.[1] ?? '';
    expect(JSON.parse(data.split('\n')[1] ?? '')).toEqual(JSON.parse(long));
  });

  it('says that a page was not opened, and is done all the same', async () => {
    const file = await recordFile('e.jsonl', `${header}\n`);
    const { code, errors, printed } = await view([file], async () => 'there is no program xdg-open');
    expect([code, errors]).toEqual([0, 'wink: the page was not opened: there is no program xdg-open.\n']);
    await rm(join(printed.trim(), '..'), { recursive: true });
  });

  it.each([
    ['', 'is empty: the run has written no row'],
    [' \n\n', 'is empty: the run has written no row'],
    ['text\n', 'is not a record: write one with wink run --record FILE'],
    ['text\ntext\n', 'is not a record: write one with wink run --record FILE'],
    ['{"type":"event"}\n', 'is not a record: write one'],
    ['{"type":"header","version":"wink-run/1"}\n', 'is not a record: write one'],
    [
      `${header.replace('wink-run/1', 'wink-run/9')}\n`,
      'cannot be shown: The record has the version "wink-run/9", and only "wink-run/1" can be read.',
    ],
    ['x'.repeat(5_000_000), 'is not a record: write one'],
  ])('refuses a file that is not a record', async (text, message) => {
    const file = await recordFile('f.jsonl', text);
    await expect(view([file])).rejects.toThrow(message);
  });

  it('refuses what cannot be read or written', async () => {
    const file = await recordFile('g.jsonl', `${header}\n`);
    await expect(view([join(folder, 'none.jsonl')])).rejects.toThrow('no such file or directory');
    await expect(view([folder])).rejects.toThrow('it is not a regular file');
    await expect(view([file, '--out', folder])).rejects.toThrow('it is not a regular file');
    await expect(view([file, '--out', file])).rejects.toThrow('--out names the record itself');
    await expect(view([file, '--out', join(folder, 'none', 'a.html')])).rejects.toThrow('cannot write');
    expect(await readFile(file, 'utf8')).toBe(`${header}\n`);
  });
});

describe('the page', () => {
  it('refuses a record that is too large for a page, and names what shows it', async () => {
    const file = await recordFile('large.jsonl', `${header}\n`);
    // It takes no place on the disk.
    await truncate(file, 400_000_001);
    await expect(view([file])).rejects.toThrow(/up to 400 MB, and this one has 400 MB: --follow/);
  });

  it('names the file of the record as text', () => {
    expect(withFileName(page, 'a"b<c>&.jsonl').head).toContain('content="a&quot;b&lt;c&gt;&amp;.jsonl"');
  });

  it('may request its own server only when it is served', () => {
    expect(page.policy).toBe("default-src 'none'");
    expect(servedPage(page).head).toContain("content=\"default-src 'none'; connect-src 'self'\"");
  });

  it('is refused when it is not what the build made', () => {
    expect(() => viewerPage('<html></html>')).toThrow('incomplete');
  });
});

describe('EmbeddedRecord', () => {
  /** Texts in which HTML may act, and some that make most of them. */
  const pieces = fc.array(
    fc.constantFrom(
      '<',
      '/',
      '!',
      '--',
      '-->',
      'script',
      'SCRIPT',
      '</script',
      '<Script',
      '>',
      's',
      'ü',
      '\u2028',
      '"',
    ),
    { maxLength: 30 },
  );

  it('leaves nothing that acts, and the same data, wherever the record is parted', () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat({ max: 200 })), (texts, places) => {
        const text = JSON.stringify({ a: texts.join('') });
        const bytes = Buffer.from(text);
        const cuts = places.map((place) => place % (bytes.length + 1)).sort((left, right) => left - right);
        const embedded = new EmbeddedRecord();
        const parts = [0, ...cuts].map((from, at) => embedded.add(bytes.subarray(from, cuts[at])));
        const whole = Buffer.concat([...parts, embedded.rest()]).toString('utf8');
        expect(whole).not.toMatch(/<\/?script/i);
        expect(JSON.parse(whole)).toEqual(JSON.parse(text));
      }),
      { numRuns: draws(500) },
    );
  });

  it.each([
    '<',
    '</',
    '<!--',
    '<script',
    '</script',
    '<!--<script',
    '\u2028',
    '\ud800',
    '\u0000',
    '\\',
    '"',
    '&lt;',
  ])('is less than twice as large as a record of nothing but %j', (text) => {
    const bytes = Buffer.from(JSON.stringify(text.repeat(10_000)));
    const embedded = new EmbeddedRecord();
    const size = embedded.add(bytes).length + embedded.rest().length;
    expect(size).toBeLessThan(1.75 * bytes.length);
  });
});

describe('a damaged record', () => {
  const middle = lines.length >> 1;
  const isBlob = (line: string): boolean => line.startsWith('{"type":"blob"');
  const isCommit = (line: string): boolean => line.startsWith('{"type":"commit"');
  const run = lines.findIndex((line) => line.startsWith('{"type":"run"'));

  it.each([
    [
      'a line that is not JSON',
      lines.with(middle, '{"type":'),
      `Line ${middle + 1} is not a row of a record: it is not JSON`,
    ],
    [
      'a line that is not a row',
      lines.with(middle, '[]'),
      `Line ${middle + 1} is not a row of a record: it is not an object`,
    ],
    ['no texts', lines.filter((line) => !isBlob(line)), 'refers to the text'],
    [
      'its texts at the end',
      [...lines.filter((line) => !isBlob(line)), ...lines.filter(isBlob)],
      'refers to the text',
    ],
    ['two headers', [header, ...lines], 'Line 2 is not a row of a record: a record has one header'],
    [
      'a commit twice',
      lines.flatMap((line) => (isCommit(line) ? [line, line] : [line])),
      'and the next one is',
    ],
    ['a run twice', lines.flatMap((line, at) => (at === run ? [line, line] : [line])), 'and the next one is'],
    ['a row without members', lines.with(middle, '{"type":"commit"}'), 'its commit has no'],
  ])('with %s ends with 2, and its page has it', async (_name, damaged, why) => {
    const file = await recordFile('damaged.jsonl', `${damaged.join('\n')}\n`);
    const out = join(folder, 'damaged.html');
    const { code, errors, printed } = await view([file, '--out', out]);
    expect([code, printed]).toEqual([2, `${out}\n`]);
    expect(errors).toContain('damaged.jsonl" is damaged: Line ');
    expect(errors).toContain(why);
    expect(errors).toMatch(/\. The page shows what comes before\.\n$/);
    expect(await readFile(out, 'utf8')).toContain(header);
  });

  it.each([
    ['a header alone', `${header}\n`],
    ['a last line that was cut off', lines.join('\n').slice(0, -40)],
    ['a last line that was cut off, and blank lines', `${lines.join('\n').slice(0, -40)}\n\n`],
    ['a byte order mark', `\uFEFF${lines.join('\n')}\n`],
    ['line ends of Windows', `${lines.join('\r\n')}\r\n`],
    ['rows of other versions', `${lines.join('\n')}\n{"type":"later"}\n`],
    ['a header of 5 MB', `${header.replace('{', `{"later":"${'x'.repeat(5_000_000)}",`)}\n`],
  ])('is not one with %s', async (_name, text) => {
    const file = await recordFile('whole.jsonl', text);
    const out = join(folder, 'whole.html');
    expect(await view([file, '--out', out])).toMatchObject({ code: 0, errors: '' });
  });
});

describe('openerOf', () => {
  it('starts a program without a shell', () => {
    const file = '/tmp/a b; rm -rf $HOME.html';
    expect(openerOf('linux', file)).toEqual({ program: 'xdg-open', args: [file] });
    expect(openerOf('darwin', file)).toEqual({ program: 'open', args: [file] });
    expect(openerOf('win32', file)).toEqual({
      program: 'rundll32',
      args: ['url.dll,FileProtocolHandler', file],
    });
  });
});
