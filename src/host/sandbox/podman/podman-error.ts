import { SandboxError } from '../../../core/error/index.ts';
import { startOf } from '../../../core/internal/index.ts';
import { podmanBackend } from './options.ts';

/** Characters of Podman's own message that an error quotes. */
const maxReason = 300;

/** What Podman says, in one line and without paths of this machine, ids or control characters. */
export function podmanReason(message: string): string {
  const line = message
    .replaceAll(/\p{C}+/gu, ' ')
    .replaceAll(/(?<![\w.])\/[^\s:'"]*/g, '…')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '…')
    .trim();
  return startOf(line, maxReason).replace(/\.$/, '');
}

/** The error for a Podman that does not work here. */
export function podmanUnavailable(reason: string, advice: string, cause?: unknown): SandboxError {
  return new SandboxError(
    'sandbox-unavailable',
    `The backend "podman" does not work here: ${podmanReason(reason)}. ${advice}`,
    { cause, details: { backend: podmanBackend } },
  );
}

/** The error for a Podman that failed in the middle of something. @param action what failed, as in "A container could not be made". */
export function podmanFailed(action: string, reason: string): SandboxError {
  return new SandboxError('sandbox-failed', `${action}: ${podmanReason(reason)}.`, {
    details: { backend: podmanBackend },
  });
}

/** An answer of Podman with a status that was not expected, or no answer. The message is not yet free of paths. */
export class PodmanRequestError extends Error {
  /** Undefined: there was no answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = 'PodmanRequestError';
    this.status = status;
  }
}
