import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCacheFolder } from '../../../../src/cli/process/cache-folder.ts';

let caches = '';
beforeEach(() => {
  caches = mkdtempSync(join(tmpdir(), 'wink-caches-'));
});
afterEach(() => rmSync(caches, { recursive: true, force: true }));

describe('openCacheFolder', () => {
  it('makes a folder for the user alone, and finds it again', () => {
    const folder = openCacheFolder(join(caches, 'new'));
    expect(folder).toBe(join(caches, 'new/weakincentives'));
    expect(statSync(folder ?? '').mode & 0o777).toBe(0o700);
    expect(openCacheFolder(join(caches, 'new'))).toBe(folder);
  });

  it.each([
    ['770', 0o770],
    ['707', 0o707],
  ])('takes no folder of mode %s, in which others could plant code', (_name, mode) => {
    mkdirSync(join(caches, 'weakincentives'));
    chmodSync(join(caches, 'weakincentives'), mode);
    expect(openCacheFolder(caches)).toBeUndefined();
    expect(readdirSync(join(caches, 'weakincentives'))).toEqual([]);
  });

  it('closes its folder to others, whatever modes the folders in it get', () => {
    mkdirSync(join(caches, 'weakincentives'));
    chmodSync(join(caches, 'weakincentives'), 0o755);
    const folder = openCacheFolder(caches);
    expect(statSync(folder ?? '').mode & 0o777).toBe(0o700);
  });

  it.runIf(process.getuid?.() === 0)('takes no folder of another user', () => {
    mkdirSync(join(caches, 'weakincentives'), { mode: 0o700 });
    chownSync(join(caches, 'weakincentives'), 12345, 12345);
    expect(openCacheFolder(caches)).toBeUndefined();
  });

  it('does without where there can be none', () => {
    expect(openCacheFolder(join(caches, 'not/there'))).toBeUndefined();
    writeFileSync(join(caches, 'file'), '');
    expect(openCacheFolder(join(caches, 'file'))).toBeUndefined();
  });
});
