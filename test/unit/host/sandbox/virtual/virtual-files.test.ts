import { expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { VirtualFiles } from '../../../../../src/host/sandbox/virtual/virtual-files.ts';

it.each(['/constructor/x', '/__proto__', '/toString', '/', '/etc/passwd', '/workspaces'])(
  'the thread cannot reach %s, which is outside of the workspace and /tmp',
  async (path) => {
    const files = new VirtualFiles(new MemoryFilesystem(), 1000);
    for (const op of ['read', 'stat', 'list', 'realpath'] as const) {
      await expect(files.operations[op](path)).rejects.toThrow(/^ENOENT: /);
    }
    await files[Symbol.asyncDispose]();
  },
);
