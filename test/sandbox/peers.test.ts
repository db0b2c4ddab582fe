import { expect, it } from 'vitest';
import * as sandbox from 'weakincentives/sandbox';

it('tests the package as it is installed', () => {
  expect(Object.keys(sandbox)).toContain('SandboxError');
});
