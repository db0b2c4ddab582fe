import { describe, expect, it } from 'vitest';
import { packageNameOf } from '../../../../src/cli/init/package-name.ts';

describe('packageNameOf()', () => {
  it.each([
    ['my-agent', 'my-agent'],
    ['My Agent!', 'my-agent'],
    ['Éclair.v2', 'eclair.v2'],
    ['_hidden', 'hidden'],
    ['.config', 'config'],
    ['請求書', 'my-agent'],
    ['', 'my-agent'],
    ['node_modules', 'my-agent'],
    ['a\u0000b"c', 'a-b-c'],
    ['x'.repeat(300), 'x'.repeat(214)],
    // npm refuses to install a package under its own name.
    ['zod', 'zod-agent'],
    ['Vitest', 'vitest-agent'],
  ])('makes of %j %j', (folder, name) => {
    expect(packageNameOf(folder, ['zod', 'vitest'])).toBe(name);
  });
});
