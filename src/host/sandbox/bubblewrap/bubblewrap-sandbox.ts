import { SandboxError } from '../../../core/error/index.ts';
import { MemoryFilesystem } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import { openStagedFolder } from '../../staged-folder/open-staged-folder.ts';
import { checkCommand } from '../backend/command.ts';
import type { SandboxBackend } from '../backend/sandbox-backend.ts';
import { StagedSandbox } from '../backend/staged-sandbox.ts';
import {
  type BubblewrapSandboxOptions,
  type BubblewrapSettings,
  bubblewrapBackend,
  describe,
  limitScopes,
  resolveOptions,
} from './options.ts';
import { runCommand } from './run-command.ts';
import { adviceFor, reasonOf, unavailableError } from './unavailable.ts';

/** Milliseconds for a command that takes a few; only a machine that hangs needs them. */
const selfTestMs = 60_000;

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
  const settings = resolveOptions(options, isRoot);
  let tested: Promise<void> | undefined;
  const test = async (signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted();
    tested ??= selfTest(settings).catch((error: unknown) => {
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
      await test(signal);
      return { [Symbol.asyncDispose]: () => Promise.resolve() };
    },
    start: async ({ filesystem, signal }) => {
      await test(signal);
      const staged = await openStagedFolder(filesystem, {
        ...settings.staging,
        ...present({ signal }),
      });
      return new StagedSandbox({
        backend: bubblewrapBackend,
        staged,
        signal,
        run: (command, ended) => runCommand(settings, staged, command, ended),
      });
    },
  } satisfies SandboxBackend);
}

/**
 * Runs a command under all limits.
 * @throws {SandboxError} `sandbox-unavailable`.
 */
async function selfTest(settings: BubblewrapSettings): Promise<void> {
  if (process.platform !== 'linux')
    throw unavailableError('it requires Linux', 'Use another backend, such as podman.');
  const { tempRoot } = settings.staging;
  const options = tempRoot === undefined ? {} : { tempRoot };
  await using staged = await openStagedFolder(new MemoryFilesystem(), options);
  const script = 'echo works >file && [ "$(cat /workspace/file)" = works ] && ! touch /file 2>/dev/null';
  const command = checkCommand(bubblewrapBackend, { command: script, timeoutMs: selfTestMs });
  try {
    const outcome = await runCommand(settings, staged, command, undefined);
    if (outcome.exitCode === 0) return;
    const reason = reasonOf(outcome.stderr.text) || `its self-test ended with ${outcome.exitCode}`;
    throw unavailableError(reason, adviceFor(outcome.stderr.text));
  } catch (error) {
    if (!SandboxError.isInstance(error) || error.code !== 'sandbox-failed') throw error;
    throw unavailableError(reasonOf(error.message), adviceFor(error.message), error);
  }
}
