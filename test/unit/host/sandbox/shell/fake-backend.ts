import type { Filesystem } from 'weakincentives';
import type {
  SandboxBackend,
  SandboxCapabilities,
  SandboxCommand,
  SandboxOutcome,
} from 'weakincentives/sandbox';

const output = (text: string) => ({ text, totalBytes: text.length, omittedBytes: 0 });

/** The outcome of a command that ended, with differences. */
export const outcome = (differences: Partial<SandboxOutcome> = {}): SandboxOutcome => ({
  exitCode: 0,
  signal: undefined,
  timedOut: false,
  stdout: output(''),
  stderr: output(''),
  killedProcesses: 0,
  ...differences,
});

/** A backend whose commands are functions, with a record of what was asked of it. */
export interface FakeBackend extends SandboxBackend {
  readonly log: string[];
}

/** @param exec does the work of a command on a fork of the files. */
export function fakeBackend(
  exec: (command: SandboxCommand, files: Filesystem) => SandboxOutcome | Promise<SandboxOutcome>,
  capabilities: Partial<SandboxCapabilities> = {},
): FakeBackend {
  const log: string[] = [];
  return {
    log,
    name: 'fake',
    capabilities: {
      isolation: 'interpreter',
      network: 'none',
      limits: {
        maxMemoryBytes: 'none',
        maxProcesses: 'none',
        maxCpuMs: 'none',
        maxCpus: 'none',
        maxFileBytes: 'none',
      },
      description: 'A fake shell.',
      ...capabilities,
    },
    prepare: async () => {
      log.push('prepare');
      return { [Symbol.asyncDispose]: async () => void log.push('release') };
    },
    start: async ({ filesystem }) => {
      log.push('start');
      const fork = filesystem.fork();
      return {
        exec: async (command) => exec(command, fork.view),
        collect: async () => {
          log.push('collect');
          const changes = fork.changes();
          filesystem.apply(fork.patch());
          const of = (kind: string) =>
            changes.filter((change) => change.kind === kind).map(({ path }) => path);
          return {
            created: of('created'),
            modified: of('modified'),
            removed: of('removed'),
            permissions: [],
            skipped: [],
            skippedCount: 0,
            complete: true,
          };
        },
        [Symbol.asyncDispose]: async () => {
          log.push('dispose');
          fork.dispose();
        },
      };
    },
  };
}
