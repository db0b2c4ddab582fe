import type { Filesystem } from 'weakincentives';
import type { ToolFiles } from '../harness/files.ts';

/** The files of a call, for what the tools of all systems do. */
export function filesOf(filesystem: Filesystem): ToolFiles {
  return {
    read: async (path) => (await filesystem.read(path)).text,
    write: async (path, text) => {
      await filesystem.write(path, text);
    },
  };
}
