import { SandboxError } from '../../../core/error/index.ts';
import { MemoryFilesystem } from '../../../core/filesystem/index.ts';
import { openStagedFolder } from '../../staged-folder/open-staged-folder.ts';
import { checkCommand } from '../backend/command.ts';
import { type BubblewrapSettings, bubblewrapBackend } from './options.ts';
import { runCommand } from './run-command.ts';
import { adviceFor, reasonOf, unavailableError } from './unavailable.ts';

/** Milliseconds for a command that takes a few; only a machine that hangs needs them. */
const selfTestMs = 60_000;

/**
 * Runs a command under all limits.
 * @throws {SandboxError} `sandbox-unavailable`.
 */
export async function selfTest(settings: BubblewrapSettings): Promise<void> {
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
