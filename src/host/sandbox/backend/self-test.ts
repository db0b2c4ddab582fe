import { SandboxError } from '../../../core/error/index.ts';
import { MemoryFilesystem } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import { openStagedFolder } from '../../staged-folder/open-staged-folder.ts';
import type { StagedFolder } from '../../staged-folder/staged-folder.ts';
import type { StagedFolderOptions } from '../../staged-folder/staging/options.ts';
import { type CheckedCommand, checkCommand } from './command.ts';
import type { SandboxOutcome } from './sandbox-backend.ts';

/** Only a machine that hangs needs so much. */
const selfTestMs = 60_000;

/** What a self-test runs. */
export interface SelfTest {
  readonly backend: string;
  /** Ends with 0 when all is as it should be. */
  readonly script: string;
  readonly staging: Pick<StagedFolderOptions, 'layer' | 'tempRoot'>;
  readonly run: (staged: StagedFolder, command: CheckedCommand) => Promise<SandboxOutcome>;
}

/**
 * Runs a command in an empty folder.
 * @returns why it does not work, and what was thrown, if anything; undefined when it works.
 * @throws what `run` throws, but for a `SandboxError` `sandbox-failed`.
 */
export async function selfTest({
  backend,
  script,
  staging: { layer, tempRoot },
  run,
}: SelfTest): Promise<{ readonly reason: string; readonly cause?: unknown } | undefined> {
  await using staged = await openStagedFolder(new MemoryFilesystem(), present({ layer, tempRoot }));
  try {
    const { exitCode, stderr } = await run(
      staged,
      checkCommand(backend, { command: script, timeoutMs: selfTestMs }),
    );
    if (exitCode === 0) return undefined;
    return { reason: stderr.text.trim() || `its self-test ended with ${exitCode}` };
  } catch (error) {
    if (SandboxError.isInstance(error) && error.code === 'sandbox-failed') {
      return { reason: error.message, cause: error };
    }
    throw error;
  }
}
