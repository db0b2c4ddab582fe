import { SandboxError } from '../../../core/error/index.ts';
import {
  type AnyResourceBinding,
  binding,
  type NamedResourceToken,
  resourceToken,
} from '../../../core/resource/index.ts';
import { SandboxBackend } from './sandbox-backend.ts';

/** What `prepare` of the bound backend returned; disposed with the session. */
export const PreparedBackend: NamedResourceToken<AsyncDisposable> =
  resourceToken<AsyncDisposable>('prepared-sandbox-backend');

/**
 * The bindings of a section that uses a backend. When an evaluation starts, the backend is checked and prepared, so that one which
 * does not work ends the evaluation before the first turn.
 */
export function backendBindings(backend: SandboxBackend): readonly AnyResourceBinding[] {
  return [
    binding(SandboxBackend, { instance: backend }),
    binding(PreparedBackend, {
      eager: true,
      create: async (context) => {
        const bound = await context.get(SandboxBackend);
        assertSameReach(backend, bound);
        return bound.prepare({ signal: context.signal });
      },
    }),
  ];
}

/**
 * The effects of a tool are fixed by the backend that its section was made with: a call without network runs again after a conflict.
 */
function assertSameReach(given: SandboxBackend, bound: SandboxBackend): void {
  if (given.capabilities.network !== 'none' || bound.capabilities.network === 'none') return;
  throw new SandboxError(
    'sandbox-option-invalid',
    `The backend "${bound.name}" has network access, but the section was made with a backend without it, "${given.name}". ` +
      'Make the section with a backend that has network access too, or bind one without.',
    { details: { backend: bound.name, option: 'network' } },
  );
}
