import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FilesystemError } from 'weakincentives';
import { readFolder } from 'weakincentives/node';
import { tempFolder } from '../temp-folder.ts';

async function refusal(options: Parameters<typeof readFolder>[0]): Promise<FilesystemError> {
  try {
    await readFolder(options);
  } catch (error) {
    if (FilesystemError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('the mount was not refused');
}

describe('the folder of a mount', () => {
  it.each([
    ['missing', 'path-not-found', 'does not exist'],
    ['file.txt', 'path-not-directory', 'is not a folder'],
    ['file.txt/x', 'path-not-directory', 'is not a folder'],
    ['loop', 'path-invalid', 'cycle'],
    ['x'.repeat(300), 'path-invalid', 'too long'],
  ])('refuses %s with code %s, named as it was given', async (name, code, text) => {
    const root = tempFolder({ 'file.txt': 'x' });
    symlinkSync('loop', join(root, 'loop'));
    const hostPath = relative(process.cwd(), join(root, name));
    const error = await refusal({ hostPath, allowedRoots: [root] });
    expect(error.code).toBe(code);
    expect(error.message).toContain(`"${hostPath}"`);
    expect(error.message).toContain(text);
    expect(error.details).toEqual({ path: hostPath });
  });

  it('rejects a folder outside the allowed roots with the same message, whether it exists or not', async () => {
    const outside = tempFolder();
    const allowed = tempFolder();
    const existing = await refusal({ hostPath: outside, allowedRoots: [allowed] });
    const missing = await refusal({ hostPath: `${outside}-missing`, allowedRoots: [allowed] });
    expect(existing.code).toBe('path-outside-root');
    expect(missing.code).toBe('path-outside-root');
    expect(missing.message).toBe(existing.message.replace(outside, `${outside}-missing`));
  });

  it('does not take a sibling whose name starts like the root for a part of it', async () => {
    const parent = tempFolder({ 'root/a': '', 'root-secret/b': '' });
    const error = await refusal({
      hostPath: join(parent, 'root-secret'),
      allowedRoots: [join(parent, 'root')],
    });
    expect(error.code).toBe('path-outside-root');
  });

  it('judges real paths: a link out of the root is refused without naming where it leads, a link in is fine', async () => {
    const secret = tempFolder({ 'secret.txt': 's' });
    const root = tempFolder({ 'real/a.txt': 'a' });
    symlinkSync(secret, join(root, 'out'));
    symlinkSync(join(root, 'real'), join(root, 'in'));
    const error = await refusal({ hostPath: join(root, 'out'), allowedRoots: [root] });
    expect(error.code).toBe('path-outside-root');
    expect(JSON.stringify([error.message, error.details, String(error.cause)])).not.toContain(
      basename(secret),
    );
    const mounted = await readFolder({ hostPath: join(root, 'in'), allowedRoots: [root] });
    expect(Object.keys(mounted.files)).toEqual(['a.txt']);
  });

  it('climbs with ".." only within the roots', async () => {
    const root = tempFolder({ 'a/x.txt': 'x' });
    mkdirSync(join(root, 'b'));
    const inside = await readFolder({ hostPath: `${root}/b/../a`, allowedRoots: [root] });
    expect(Object.keys(inside.files)).toEqual(['x.txt']);
    expect((await refusal({ hostPath: `${root}/..`, allowedRoots: [root] })).code).toBe('path-outside-root');
  });

  it('allows a folder below any of several roots; a root that does not exist allows nothing', async () => {
    const root = tempFolder({ 'a.txt': 'a' });
    const mounted = await readFolder({ hostPath: root, allowedRoots: ['/nowhere/at/all', root] });
    expect(mounted.report.files).toBe(1);
    expect((await refusal({ hostPath: root, allowedRoots: ['/nowhere/at/all'] })).code).toBe(
      'path-outside-root',
    );
  });

  it.each([
    [{ hostPath: '  ' }, 'argument-invalid'],
    [{ hostPath: 'a\0b' }, 'argument-invalid'],
    [{ allowedRoots: [] }, 'argument-invalid'],
    [{ maxBytes: -1 }, 'argument-invalid'],
    [{ maxFiles: 1.5 }, 'argument-invalid'],
    [{ maxFileBytes: Number.NaN }, 'argument-invalid'],
    [{ maxEntries: Number.POSITIVE_INFINITY }, 'argument-invalid'],
    [{ mountPath: '../up' }, 'path-outside-root'],
    [{ mountPath: '' }, 'path-invalid'],
    [{ include: ['../up/*'] }, 'pattern-invalid'],
    [{ exclude: ['dist/'] }, 'pattern-invalid'],
  ])('refuses %j with code %s', async (options, code) => {
    const root = tempFolder();
    expect((await refusal({ hostPath: root, allowedRoots: [root], ...options })).code).toBe(code);
  });
});
