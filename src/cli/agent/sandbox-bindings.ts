import { describeError } from '../../core/error/index.ts';
import { type AnyResourceBinding, binding, type ResourceRegistry } from '../../core/resource/index.ts';
import type { SandboxBackend } from '../../host/sandbox/index.ts';
import type { SandboxChoice } from '../options/option-values.ts';
import { orUsageError, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

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
  const sandboxes = await import('../../host/sandbox/index.ts');
  if (!resources.has(sandboxes.SandboxBackend)) {
    throw new UsageError(`${printable(agentName)} does not use a sandbox: leave out --sandbox.`);
  }
  return [binding(sandboxes.SandboxBackend, { instance: makeSandbox(choice, sandboxes) })];
}

/**
 * The chosen backend.
 * @throws {UsageError} when it refuses its options.
 */
export function makeSandbox(choice: SandboxChoice, makers: SandboxMakers): SandboxBackend {
  return orUsageError(
    () => makeBackend(choice, makers),
    (error) => `the sandbox cannot be used: ${printable(describeError(error))}`,
  );
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
