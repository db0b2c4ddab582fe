import { describeError } from '../../error/index.ts';
import type { AnyResourceBinding, ResourceRegistry } from '../../resource/index.ts';
import type { SandboxBackend } from '../../sandbox/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

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

/**
 * The binding that puts the chosen backend in the place of the agent's own; none when none was chosen.
 * @throws {UsageError} when the agent uses no sandbox, or the backend refuses its options.
 */
export async function sandboxBindings(
  choice: SandboxChoice | undefined,
  agentName: string,
  resources: Pick<ResourceRegistry, 'has'>,
): Promise<readonly AnyResourceBinding[]> {
  if (choice === undefined) return [];
  // Loaded only for runs that name one.
  const sandboxes = await import('../../sandbox/index.ts');
  const { binding } = await import('../../resource/index.ts');
  if (!resources.has(sandboxes.SandboxBackend)) {
    throw new UsageError(`${printable(agentName)} does not use a sandbox: leave out --sandbox.`);
  }
  try {
    return [binding(sandboxes.SandboxBackend, { instance: makeBackend(choice, sandboxes) })];
  } catch (error) {
    throw new UsageError(`the sandbox cannot be used: ${printable(describeError(error))}`, { cause: error });
  }
}

/** The makers of `weakincentives/sandbox`, which is loaded when one is needed. */
interface SandboxMakers {
  bubblewrapSandbox(): SandboxBackend;
  podmanSandbox(options: { readonly image: string }): SandboxBackend;
  virtualSandbox(): SandboxBackend;
}

function makeBackend(choice: SandboxChoice, makers: SandboxMakers): SandboxBackend {
  switch (choice.kind) {
    case 'bubblewrap':
      return makers.bubblewrapSandbox();
    case 'virtual':
      return makers.virtualSandbox();
    case 'podman':
      return makers.podmanSandbox({ image: choice.image });
  }
}
