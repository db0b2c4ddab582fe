import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link SandboxError}.
 *
 * - `sandbox-option-invalid`: an option that the backend cannot honor, such as a limit that it does not enforce.
 * - `sandbox-unavailable`: the backend does not work on this machine; the message has the reason and what to install.
 * - `sandbox-command-invalid`: a command that cannot be run, such as one without a name or in a directory that does not exist.
 * - `sandbox-disposed`: the sandbox was disposed.
 * - `sandbox-failed`: the backend failed in the middle of a command. What the command changed is not collected.
 */
export type SandboxErrorCode =
  | 'sandbox-option-invalid'
  | 'sandbox-unavailable'
  | 'sandbox-command-invalid'
  | 'sandbox-disposed'
  | 'sandbox-failed';

/** A sandbox that cannot be made, or cannot run a command. `details.backend` names the backend, `details.image` the image that it lacks. */
export class SandboxError extends WinkError<SandboxErrorCode> {
  constructor(code: SandboxErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('SandboxError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is SandboxError {
    return hasErrorMarker(value, 'SandboxError');
  }
}
