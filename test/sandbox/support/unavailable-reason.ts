import { type SandboxBackend, SandboxError } from 'weakincentives/sandbox';

/** Why a backend does not work here; undefined when it does. */
export async function unavailableReason(backend: SandboxBackend): Promise<string | undefined> {
  try {
    await using prepared = await backend.prepare();
    void prepared;
    return undefined;
  } catch (error) {
    if (SandboxError.isInstance(error) && error.code === 'sandbox-unavailable') return error.message;
    throw error;
  }
}
