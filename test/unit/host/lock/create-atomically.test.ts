import { linkSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAtomically } from '../../../../src/host/lock/folder-lock.ts';
import { testFolders } from '../host-filesystem/host-workspace.ts';

describe('a file made in one step', () => {
  it('is made once, and leaves no draft', () => {
    const { root } = testFolders();
    expect(createAtomically(join(root, 'lock'), 'mine')).toBe(true);
    expect(createAtomically(join(root, 'lock'), 'other')).toBe(false);
    expect(readFileSync(join(root, 'lock'), 'utf8')).toBe('mine');
    expect(readdirSync(root)).toEqual(['lock']);
  });

  it('is written again when the lock holder removed its draft', () => {
    const { root } = testFolders();
    const drafts: string[] = [];
    const made = createAtomically(join(root, 'lock'), 'mine', (draft, path) => {
      if (drafts.push(draft) === 1) unlinkSync(draft);
      linkSync(draft, path);
    });
    expect(made).toBe(true);
    expect(new Set(drafts).size).toBe(2);
    expect(readdirSync(root)).toEqual(['lock']);
  });

  it('fails for any other reason as the disk says', () => {
    const { root } = testFolders();
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    expect(() =>
      createAtomically(join(root, 'lock'), 'mine', () => {
        throw full;
      }),
    ).toThrow(full);
    expect(readdirSync(root)).toEqual([]);
  });
});
