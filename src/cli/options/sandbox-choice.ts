import { UsageError } from '../process/errors.ts';

/** A backend named on the command line. */
export type SandboxChoice =
  | { readonly kind: 'bubblewrap' }
  | { readonly kind: 'virtual' }
  | { readonly kind: 'podman'; readonly image: string };

/** @throws {UsageError} for another value. */
export function readSandbox(text: string | undefined): SandboxChoice | undefined {
  if (text === undefined) return undefined;
  if (text === 'bubblewrap' || text === 'virtual') return { kind: text };
  const image = /^podman:(.+)$/.exec(text)?.[1];
  if (image !== undefined) return { kind: 'podman', image };
  throw new UsageError(
    text === 'podman'
      ? '--sandbox is "podman"; name the image too, such as podman:docker.io/library/node:22-slim.'
      : `--sandbox is "${text}"; it must be bubblewrap, virtual or podman:IMAGE.`,
  );
}
