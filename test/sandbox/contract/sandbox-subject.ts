import type { SandboxBackend, SandboxLimits } from 'weakincentives/sandbox';

/** A backend that the contract suite runs on. */
export interface SandboxSubject {
  readonly name: string;
  /** Makes the backend with limits of its own. */
  readonly open: (options?: { readonly limits?: SandboxLimits }) => SandboxBackend;
  /** Whether commands are interpreted, without processes of the operating system. */
  readonly isInterpreter: boolean;
  /** Why it cannot run here; undefined when it can. */
  readonly skip: string | undefined;
}

/** The name of a suite, with the reason when it is skipped. */
export function suiteName(what: string, { name, skip }: SandboxSubject): string {
  return `${what} of ${name}${skip === undefined ? '' : ` (skipped: ${skip})`}`;
}
