import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isVersionAsked, versionIn } from '../../../../src/cli/process/version.ts';

describe('isVersionAsked', () => {
  it.each([
    [['--version'], true],
    [['-V'], true],
    [[], false],
    [['--help'], false],
    [['run', '--version'], false],
    [['--version', 'x'], false],
  ])('of %j is %s', (argv, isAsked) => {
    expect(isVersionAsked(argv)).toBe(isAsked);
  });
});

describe('versionIn', () => {
  it('is that of the package', () => {
    expect(versionIn(new URL('../../../../package.json', import.meta.url))).toMatch(/^\d+\.\d+\.\d+/);
  });

  it.each(['{}', '{"version":1}', '[]', 'null'])('of %s is unknown', (content) => {
    const folder = mkdtempSync(join(tmpdir(), 'wink-version-'));
    try {
      const manifest = join(folder, 'package.json');
      writeFileSync(manifest, content);
      expect(versionIn(pathToFileURL(manifest))).toBe('unknown');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
