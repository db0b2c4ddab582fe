import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link SandboxError}.
 *
 * - `sandbox-option-invalid`: an option that the backend cannot honor, such as a limit that it does not enforce.
 *   What to do: leave the option out, or take a backend that has it.
 * - `sandbox-unavailable`: the backend does not work on this machine; the message has the reason and what to install.
 *   What to do: do as the message says, or run `wink doctor`.
 * - `sandbox-command-invalid`: a command that cannot be run, such as one without a name or in a directory that does not exist.
 *   What to do: correct the command or its directory.
 * - `sandbox-disposed`: the sandbox was disposed.
 *   What to do: make another one.
 * - `sandbox-failed`: the backend failed in the middle of a command. What the command changed is not collected.
 *   What to do: run the command again; the `cause` has the reason.
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
