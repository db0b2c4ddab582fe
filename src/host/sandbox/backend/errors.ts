import { type RefuseArgument, SandboxError } from '../../../core/error/index.ts';
import { present, quoteText, startOf } from '../../../core/internal/index.ts';

/** Characters of a program's own message that an error quotes. */
const maxReason = 300;

/** How options are refused. @param backend undefined for those of a section. */
export function refuseOption(backend?: string): RefuseArgument {
  return (message, { details }) =>
    new SandboxError('sandbox-option-invalid', message, { details: { ...present({ backend }), ...details } });
}

/**
 * The error for a backend that does not work here.
 * @param reason what was seen; it is shown without paths.
 * @param image the image that is missing, if it is one.
 */
export function unavailableError(
  backend: string,
  reason: string,
  advice: string,
  { cause, image }: { readonly cause?: unknown; readonly image?: string } = {},
): SandboxError {
  return new SandboxError(
    'sandbox-unavailable',
    `The backend "${backend}" does not work here: ${shownReason(reason)}. ${advice}`,
    { cause, details: { backend, ...present({ image }) } },
  );
}

/** The error for a backend that failed in the middle of something. */
export function failedError(backend: string, message: string, cause?: unknown): SandboxError {
  return new SandboxError('sandbox-failed', message, { cause, details: { backend } });
}

/** The error for a working directory that does not exist. */
export function missingDirectoryError(backend: string, cwd: string): SandboxError {
  return new SandboxError(
    'sandbox-command-invalid',
    `The working directory ${quoteText(cwd)} does not exist in the workspace. Create it first, or use another one.`,
    { details: { backend, path: cwd } },
  );
}

/** The error for a sandbox that was disposed. */
export function disposedError(backend: string): SandboxError {
  return new SandboxError(
    'sandbox-disposed',
    `The sandbox was disposed. Start another one for further commands.`,
    { details: { backend } },
  );
}

/** What a program says, in one line and without paths of this machine, ids, control characters or the period. */
export function shownReason(message: string): string {
  const line = message
    .replaceAll(/\p{C}+/gu, ' ')
    .replaceAll(/(?<![\w.])\/[^\s:'"]*/g, '…')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '…')
    .trim();
  return startOf(line, maxReason).replace(/\.$/, '');
}
