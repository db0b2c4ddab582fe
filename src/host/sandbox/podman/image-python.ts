import { SandboxError, SessionError } from '../../../core/error/index.ts';
import { MemoryFilesystem } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { SectionPrepareContext } from '../../../core/prompt/index.ts';
import {
  type AnyResourceBinding,
  binding,
  type NamedResourceToken,
  resourceToken,
} from '../../../core/resource/index.ts';
import { optional, recordSchema, text } from '../../../core/schema/index.ts';
import {
  defineSlice,
  installedItems,
  type ReadonlySessionView,
  type Slice,
} from '../../../core/session/index.ts';
import { PreparedBackend } from '../backend/prepared-backend.ts';
import { SandboxBackend } from '../backend/sandbox-backend.ts';

/** What the check of an image found. */
export interface ImagePython {
  /** The image that the section names, whatever backend is bound in its place. */
  readonly image: string;
  /** The version, such as `3.13.1`. Absent: `python3` is missing or does not run. */
  readonly version?: string;
}

/** The images that evaluations of the session have checked. */
export const ImagePython: Slice<ImagePython> = defineSlice({
  name: 'sandbox.image-python',
  key: ({ image }) => image,
  schema: recordSchema({ image: text, version: optional(text) }),
});

/** What the bound backend has. It is checked once for each session, also for one that was restored: the image may be another one. */
const FoundPython: NamedResourceToken<Omit<ImagePython, 'image'>> =
  resourceToken<Omit<ImagePython, 'image'>>('sandbox-python');

/** Only a machine that hangs needs so much. */
const checkMs = 60_000;

/** Checks for a Python when it is first needed. Each section has one of its own, so that a session can use several images. */
export function pythonBinding(): AnyResourceBinding {
  return binding(FoundPython, {
    create: async (context) => {
      await context.get(PreparedBackend);
      return findPython(await context.get(SandboxBackend), context.signal);
    },
  });
}

async function findPython(
  backend: SandboxBackend,
  signal: AbortSignal | undefined,
): Promise<Omit<ImagePython, 'image'>> {
  await using sandbox = await backend.start({ filesystem: new MemoryFilesystem(), signal });
  const { exitCode, stdout } = await sandbox.exec({
    command: ['python3', '-c', 'import sys; print(sys.version.split()[0])'],
    timeoutMs: checkMs,
  });
  return exitCode === 0 ? { version: stdout.text.trim() } : {};
}

/**
 * Finds out whether there is a Python, and keeps it in the session.
 * @param isRequired whether to throw when there is none.
 * @throws {SandboxError} `sandbox-unavailable`.
 */
export async function prepareImagePython(
  { session, resources }: SectionPrepareContext,
  image: string,
  isRequired: boolean,
): Promise<void> {
  const { version } = await resources.get(FoundPython);
  if (version === undefined && isRequired) throw missingPython((await resources.get(SandboxBackend)).name);
  const known = imagePython(session, image);
  if (known !== undefined && known.version === version) return;
  try {
    session.slice(ImagePython).append({ image, ...present({ version }) });
  } catch (error) {
    // Inside a call that may only read, what an earlier evaluation has found still holds.
    if (!SessionError.isInstance(error) || error.code !== 'session-read-only') throw error;
  }
}

/** Whether evaluations of the session have found a Python in the image. */
export function hasPython(session: ReadonlySessionView, image: string): boolean {
  return imagePython(session, image)?.version !== undefined;
}

function imagePython(session: ReadonlySessionView, image: string): ImagePython | undefined {
  return installedItems(session, ImagePython).find((item) => item.image === image);
}

function missingPython(backend: string): SandboxError {
  return new SandboxError(
    'sandbox-unavailable',
    `The backend "${backend}" has no python3 that runs. Use an image with Python, or leave out the option python of podmanSection: ` +
      'then evaluate_python is offered only where there is one.',
    { details: { backend, option: 'python' } },
  );
}
