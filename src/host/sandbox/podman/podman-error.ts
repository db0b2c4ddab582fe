import type { SandboxError } from '../../../core/error/index.ts';
import { failedError, shownReason, unavailableError } from '../backend/errors.ts';
import { podmanBackend } from './options.ts';

/** The error for a Podman that does not work here, or lacks an image. */
export function podmanUnavailable(
  reason: string,
  advice: string,
  more: { readonly cause?: unknown; readonly image?: string } = {},
): SandboxError {
  return unavailableError(podmanBackend, reason, advice, more);
}

/** The error for a Podman that failed in the middle of something. @param action what failed, as in "A container could not be made". */
export function podmanFailed(action: string, reason: string): SandboxError {
  return failedError(podmanBackend, `${action}: ${shownReason(reason)}.`);
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
