import { describe, expect, it } from 'vitest';
import { scriptedAdapter } from 'weakincentives/testing';
import {
  parseListing,
  parseMatches,
  parsePaths,
  parseWindow,
} from '../../../../examples/review/model/tool-text.ts';
import { type Files, review } from '../review.ts';

/** The text that the model gets for one call. */
async function answer(files: Files, name: string, args: object): Promise<string> {
  const { conversation } = await review(files, {
    model: scriptedAdapter([{ toolCalls: [{ name, arguments: args }] }, { text: 'Done.' }]),
  });
  const result = conversation.find((item) => item.type === 'tool-result');
  return result?.text ?? '';
}

describe('names that are shown in quotes', () => {
  it('are read from every result', async () => {
    const name = 'a" (3 bytes)\n\nb:1: c.md';
    const files = { [name]: 'x', [`d\n/${name}`]: 'x' };
    expect(parseListing(await answer(files, 'ls', {})).entries).toEqual([
      { name, isDirectory: false, bytes: 1 },
      { name: 'd\n', isDirectory: true, bytes: 0 },
    ]);
    expect(parsePaths(await answer(files, 'glob', { pattern: '**' })).paths).toEqual([name, `d\n/${name}`]);
    expect(parseMatches(await answer(files, 'grep', { pattern: 'x' })).matches).toEqual([
      { path: name, line: 1 },
      { path: `d\n/${name}`, line: 1 },
    ]);
    expect(parseWindow(await answer(files, 'read_file', { file_path: name }))?.totalLines).toBe(1);
  });
});

describe('parseListing', () => {
  it('reads what ls says', async () => {
    const text = await answer(
      { 'a b.md': 'x'.repeat(1500), 'empty (1 byte).txt': '', 'src/deep/c.ts': 'y' },
      'ls',
      {},
    );
    expect(parseListing(text)).toEqual({
      entries: [
        { name: 'a b.md', isDirectory: false, bytes: 1500 },
        { name: 'empty (1 byte).txt', isDirectory: false, bytes: 0 },
        { name: 'src', isDirectory: true, bytes: 0 },
      ],
      isPartial: false,
    });
    expect(parseListing(await answer({}, 'ls', {}))).toEqual({ entries: [], isPartial: false });
  });

  it('sees that a listing is cut', async () => {
    const files = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}.md`, 'x']));
    const listing = parseListing(await answer(files, 'ls', {}));
    expect(listing.isPartial).toBe(true);
    expect(listing.entries).toHaveLength(500);
  });
});

describe('parseWindow', () => {
  it('reads numbered lines and where to continue', async () => {
    const text = 'one\n\n  two | 2\n\nfour\n';
    const whole = parseWindow(await answer({ 'a.md': text }, 'read_file', { file_path: 'a.md' }));
    expect(whole?.totalLines).toBe(5);
    expect(whole?.lines.map((line) => line.text)).toEqual(['one', '', '  two | 2', '', 'four']);
    expect(whole?.lines.map((line) => line.number)).toEqual([1, 2, 3, 4, 5]);
    expect(whole).not.toHaveProperty('nextOffset');

    const part = parseWindow(
      await answer({ 'a.md': text }, 'read_file', { file_path: 'a.md', offset: 1, limit: 2 }),
    );
    expect(part).toMatchObject({ totalLines: 5, nextOffset: 3 });
    expect(part?.lines.map((line) => line.number)).toEqual([2, 3]);
  });

  it('reads CRLF and empty files, and gives a cut line its whole length', async () => {
    const crlf = parseWindow(await answer({ 'a.md': 'one\r\ntwo\r\n' }, 'read_file', { file_path: 'a.md' }));
    expect(crlf?.lines.map((line) => line.text)).toEqual(['one', 'two']);
    expect(parseWindow(await answer({ 'a.md': '' }, 'read_file', { file_path: 'a.md' }))).toEqual({
      lines: [],
      totalLines: 0,
    });
    const long = parseWindow(await answer({ 'a.md': 'x'.repeat(5000) }, 'read_file', { file_path: 'a.md' }));
    expect(long?.lines[0]).toMatchObject({ length: 5000, text: 'x'.repeat(2000) });
  });

  it('takes a refusal for no window', async () => {
    expect(parseWindow(await answer({}, 'read_file', { file_path: 'gone.md' }))).toBeUndefined();
  });
});

describe('parsePaths and parseMatches', () => {
  it('read what glob and grep say', async () => {
    const files = { 'a.md': 'x\nfind: me\n', 'src/b: 2.md': 'find me too' };
    expect(parsePaths(await answer(files, 'glob', { pattern: '**' }))).toEqual({
      paths: ['a.md', 'src/b: 2.md'],
      isPartial: false,
    });
    expect(parseMatches(await answer(files, 'grep', { pattern: 'find' }))).toEqual({
      matches: [
        { path: 'a.md', line: 2 },
        { path: 'src/b: 2.md', line: 1 },
      ],
      isPartial: false,
    });
    expect(parsePaths(await answer(files, 'glob', { pattern: '*.zig' })).paths).toEqual([]);
    expect(parseMatches(await answer(files, 'grep', { pattern: 'nothing' })).matches).toEqual([]);
  });

  it('see that a result is cut', async () => {
    const files = Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`f${index}.md`, 'find me']));
    const paths = parsePaths(await answer(files, 'glob', { pattern: '**' }));
    expect(paths.isPartial).toBe(true);
    expect(paths.paths).toHaveLength(1000);
    const matches = parseMatches(await answer(files, 'grep', { pattern: 'find' }));
    expect(matches.isPartial).toBe(true);
    expect(matches.matches).toHaveLength(250);
  });
});
