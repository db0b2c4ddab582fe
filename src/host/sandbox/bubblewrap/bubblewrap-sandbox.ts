import { present } from '../../../core/internal/index.ts';
import { openStagedFolder } from '../../staged-folder/open-staged-folder.ts';
import { unavailableError } from '../backend/errors.ts';
import type { SandboxBackend } from '../backend/sandbox-backend.ts';
import { selfTest } from '../backend/self-test.ts';
import { stageSkills } from '../backend/stage-skills.ts';
import { StagedSandbox } from '../backend/staged-sandbox.ts';
import {
  type BubblewrapSandboxOptions,
  type BubblewrapSettings,
  bubblewrapBackend,
  bubblewrapSettings,
  describe,
  limitScopes,
} from './options.ts';
import { firstLine, runCommand } from './run-command.ts';

/**
 * Commands as processes of this machine in namespaces of the kernel, by the program `bwrap` of bubblewrap. Linux only.
 *
 * They see the staged files at `/workspace`, the installed programs read-only, folders of their own at `/tmp` and `/dev/shm`, and nothing else: no home folder, no
 * other process, no network unless asked for. They have no capabilities and cannot gain any. A system-call filter, a limit on the
 * space of the disk and control groups are not part of it: for code that attacks the kernel use a virtual machine.
 *
 * @throws {SandboxError} `sandbox-option-invalid` for an option that cannot be honored, such as a limit that it does not enforce.
 * @see docs/spec/sandboxes.md §4
 */
export function bubblewrapSandbox(options: BubblewrapSandboxOptions = {}): SandboxBackend {
  const isRoot = process.geteuid?.() === 0;
  const settings = bubblewrapSettings(options, isRoot);
  let tested: Promise<void> | undefined;
  const works = async (signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted();
    tested ??= test(settings).catch((error: unknown) => {
      // What is missing may be installed meanwhile.
      tested = undefined;
      throw error;
    });
    await tested;
    signal?.throwIfAborted();
  };
  return Object.freeze({
    name: bubblewrapBackend,
    capabilities: Object.freeze({
      isolation: 'namespaces' as const,
      network: settings.network,
      limits: limitScopes(isRoot),
      description: describe(settings.network),
    }),
    prepare: async ({ signal } = {}) => {
      await works(signal);
      return { [Symbol.asyncDispose]: () => Promise.resolve() };
    },
    start: async ({ filesystem, signal, skills }) => {
      await works(signal);
      const shown = await stageSkills(skills, settings.staging.tempRoot, signal);
      try {
        const staged = await openStagedFolder(filesystem, {
          ...settings.staging,
          ...present({ signal }),
        });
        return new StagedSandbox({
          backend: bubblewrapBackend,
          staged,
          signal,
          run: (command, ended) => runCommand(settings, staged, command, ended, shown?.path),
          release: async () => await shown?.[Symbol.asyncDispose](),
        });
      } catch (error) {
        await shown?.[Symbol.asyncDispose]();
        throw error;
      }
    },
  } satisfies SandboxBackend);
}

/**
 * Runs a command under all limits.
 * @throws {SandboxError} `sandbox-unavailable`.
 */
async function test(settings: BubblewrapSettings): Promise<void> {
  if (process.platform !== 'linux')
    throw unavailableError(bubblewrapBackend, 'it requires Linux', 'Use another backend, such as podman.');
  const failure = await selfTest({
    backend: bubblewrapBackend,
    script: 'echo works >file && [ "$(cat /workspace/file)" = works ] && ! touch /file 2>/dev/null',
    staging: { ...settings.staging, layer: 'auto' },
    run: (staged, command) => runCommand(settings, staged, command, undefined),
  });
  if (failure === undefined) return;
  const { reason, cause } = failure;
  throw unavailableError(bubblewrapBackend, firstLine(reason), adviceFor(reason), { cause });
}

/** The advice for what a failed start wrote to its error output. */
function adviceFor(message: string): string {
  if (/unknown option.*userns|userns.*not supported/i.test(message))
    return 'Install bubblewrap 0.8 or later: earlier ones cannot keep commands from making user namespaces. Or use another backend.';
  if (/user namespace|uid map|Operation not permitted|RTM_NEWADDR|No permissions/i.test(message)) {
    return (
      'The kernel must allow user namespaces to this user: see kernel.unprivileged_userns_clone, user.max_user_namespaces and ' +
      'kernel.apparmor_restrict_unprivileged_userns, or the security profile of the container that this process is in. Or use another backend.'
    );
  }
  return 'Install it with `apt-get install bubblewrap util-linux` or the package manager of this system, or use another backend.';
}
