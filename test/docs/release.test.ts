import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScript } from '../support/run-check.ts';

const manifest = (name: string, version: string): string => JSON.stringify({ name, version });
const project = (version = '0.2.0', changelog = '# Changelog\n\n## 0.2.0 (2026-12-01)\n') => ({
  'package.json': manifest('weakincentives', '0.2.0'),
  'packages/create-weakincentives/package.json': manifest('create-weakincentives', version),
  'CHANGELOG.md': changelog,
});

test('a release writes where the repository is', () => {
  const { status, stdout, root } = runScript('release-manifest', project(), ['acme/wink', 'v0.2.0']);
  expect([status, stdout]).toEqual([0, 'release-manifest: acme/wink v0.2.0 is ready to publish.\n']);
  const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const shared = {
    bugs: 'https://github.com/acme/wink/issues',
    homepage: 'https://github.com/acme/wink#readme',
  };
  const url = 'git+https://github.com/acme/wink.git';
  expect(read('package.json')).toEqual({
    name: 'weakincentives',
    version: '0.2.0',
    repository: { type: 'git', url },
    ...shared,
  });
  expect(read('packages/create-weakincentives/package.json')).toMatchObject({
    repository: { type: 'git', url, directory: 'packages/create-weakincentives' },
  });
});

test.each([
  [
    'another tag',
    project(),
    ['acme/wink', 'v0.2.1'],
    'The tag "v0.2.1" is not that of weakincentives 0.2.0: v0.2.0.',
  ],
  [
    'another version',
    project('0.1.0'),
    ['acme/wink', 'v0.2.0'],
    'not that of create-weakincentives 0.1.0: v0.1.0.',
  ],
  [
    'no entry',
    project('0.2.0', '# Changelog\n'),
    ['acme/wink', 'v0.2.0'],
    'CHANGELOG.md has no heading "## 0.2.0".',
  ],
  ['no owner', project(), ['wink', 'v0.2.0'], 'The repository "wink" is not OWNER/NAME.'],
])('%s refuses a release, and nothing is written', (_, files, given, problem) => {
  const { status, stderr, root } = runScript('release-manifest', files, given);
  expect(status).toBe(1);
  expect(stderr).toContain(problem);
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe(files['package.json']);
});
