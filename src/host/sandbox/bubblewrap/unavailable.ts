import { SandboxError } from '../../../core/error/index.ts';
import { startOf } from '../../../core/internal/index.ts';
import { bubblewrapBackend } from './options.ts';

/** Characters of a program's own message that an error quotes. */
const maxReason = 300;

/** The error for a backend that does not work here. @param reason what was seen, as a sentence without its period. */
export function unavailableError(reason: string, advice: string, cause?: unknown): SandboxError {
  return new SandboxError(
    'sandbox-unavailable',
    `The backend "bubblewrap" does not work here: ${reason}. ${advice}`,
    { cause, details: { backend: bubblewrapBackend } },
  );
}

/** The advice for what a failed start wrote to its error output. */
export function adviceFor(message: string): string {
  if (/user namespace|uid map|Operation not permitted|RTM_NEWADDR|No permissions/i.test(message)) {
    return (
      'The kernel must allow user namespaces to this user: see kernel.unprivileged_userns_clone, user.max_user_namespaces and ' +
      'kernel.apparmor_restrict_unprivileged_userns, or the security profile of the container that this process is in. Or use another backend.'
    );
  }
  return 'Install it with `apt-get install bubblewrap util-linux` or the package manager of this system, or use another backend.';
}

/** The first line of what a program wrote, without paths of this machine. */
export function reasonOf(stderr: string): string {
  const line =
    stderr
      .split('\n')
      .map((text) => text.trim())
      .find((text) => text !== '') ?? '';
  return startOf(line.replaceAll(/(?<![\w.])\/[^\s:'"]*/g, '…'), maxReason).replace(/\.$/, '');
}
