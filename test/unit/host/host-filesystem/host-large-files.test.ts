import { lstatSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHostFilesystem } from 'weakincentives/node';
import { HostJail } from '../../../../src/host/host-filesystem/jail/jail.ts';
import { DiskContent } from '../../../../src/host/host-filesystem/tree/disk-content.ts';
import { TextCache } from '../../../../src/host/host-filesystem/tree/text-cache.ts';
import { testFolders } from './host-workspace.ts';

const large = (word: string): string => `${word}\n`.repeat(20_000);

describe('the text of a large file', () => {
  /** The content of a file as a snapshot finds it that many milliseconds after its last change. */
  function contentAfter(root: string, texts: TextCache, delayMs: number): DiskContent {
    const path = join(root, 'large.txt');
    const context = {
      jail: HostJail.open(root),
      maxFileBytes: 10_000_000,
      now: () => statSync(path).ctimeMs + delayMs,
      unsettled: new Set<DiskContent>(),
      texts,
      visible: undefined,
      buffer: {},
      followsDisk: false,
    };
    return new DiskContent(context, ['large.txt'], lstatSync(path, { bigint: true }), false);
  }

  it('is kept for later snapshots with what was computed from it, once the file has settled', () => {
    const { root } = testFolders({ 'large.txt': large('one') });
    const texts = new TextCache();
    const early = contentAfter(root, texts, 10);
    expect(early.text()).toBe(large('one'));
    expect(texts.get(early.stamp)).toBeUndefined();
    const first = contentAfter(root, texts, 60_000);
    expect(first.text()).toBe(large('one'));
    const second = contentAfter(root, texts, 60_000);
    expect(second['~memo']).toBe(first['~memo']);
    expect(texts.get(second.stamp)?.text).toBe(large('one'));
    expect(second.text()).toBe(large('one'));
    // Read when it could still change under its stamp: compared with what was read, not with what is kept.
    expect(early['~memo']).not.toBe(first['~memo']);
  });

  it('is never that of another content', () => {
    const { root } = testFolders({ 'large.txt': large('one') });
    const texts = new TextCache();
    contentAfter(root, texts, 60_000).text();
    const old = contentAfter(root, texts, 60_000);
    writeFileSync(join(root, 'large.txt'), large('two'));
    expect(() => old.text()).toThrow(expect.objectContaining({ code: 'file-changed-on-disk' }));
    expect(contentAfter(root, texts, 60_000).text()).toBe(large('two'));
  });

  it('is what each call finds on the disk, through forks and changes of any process', async () => {
    const { root, stateDirectory } = testFolders({ 'large.txt': large('one') });
    const clock = { now: () => Date.now() + 60_000 };
    await using files = await openHostFilesystem({ root, stateDirectory, clock });
    const window = async (): Promise<readonly [string, number, string]> => {
      const fork = files.fork();
      const { text, totalLines } = await fork.view.read('large.txt', { offset: 10_000, limit: 1 });
      return [text, totalLines, await (fork.view.digest?.('large.txt') ?? Promise.resolve(''))];
    };
    const [text, lines, digest] = await window();
    expect([text, lines]).toEqual(['one\n', 20_000]);
    expect(await window()).toEqual(['one\n', 20_000, digest]);
    writeFileSync(join(root, 'large.txt'), large('two'));
    const changed = await window();
    expect(changed[0]).toBe('two\n');
    expect(changed[2]).not.toBe(digest);
    await files.write('large.txt', `three\n${large('one')}`);
    expect((await window()).slice(0, 2)).toEqual(['one\n', 20_001]);
    const fork = files.fork();
    await fork.view.read('large.txt', { limit: 1 });
    writeFileSync(join(root, 'large.txt'), large('four'));
    expect(fork.conflicts()).toContain('file large.txt');
    await expect(fork.view.read('large.txt')).rejects.toMatchObject({ code: 'file-changed-on-disk' });
  });
});

describe('TextCache', () => {
  it('keeps no small texts, and of large ones those that were used last', () => {
    const texts = new TextCache();
    const megabyte = 1_048_576;
    texts.put('small', 1000, 'x', {});
    texts.put('huge', 100 * megabyte, 'x', {});
    for (let index = 0; index < 32; index += 1) texts.put(`${index}`, megabyte, `text ${index}`, {});
    expect([texts.get('small'), texts.get('huge')]).toEqual([undefined, undefined]);
    expect(texts.get('0')?.text).toBe('text 0');
    texts.put('32', megabyte, undefined, {});
    expect(texts.get('1')).toBeUndefined();
    expect(texts.get('0')?.text).toBe('text 0');
    expect(texts.get('32')).toMatchObject({ text: undefined });
  });
});
