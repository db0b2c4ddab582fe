import { isRecord } from '../../../core/internal/index.ts';
import { hasEnded, presentProcess, readIdentity } from '../../lock/index.ts';
import type { PodmanClient } from './podman-client.ts';
import { PodmanRequestError } from './podman-error.ts';

/** The label that names the process which a container belongs to. */
const ownerLabel = 'dev.weakincentives.owner';

/** The labels of every container. */
export function ownerLabels(): Readonly<Record<string, string>> {
  return { [ownerLabel]: JSON.stringify(presentProcess()) };
}

/** Removes the containers of processes that have certainly ended; all others are left alone. */
export async function removeLeftovers(client: PodmanClient, signal: AbortSignal | undefined): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: [ownerLabel] }));
  const path = `/containers/json?all=true&filters=${filters}`;
  const found = await client.send({ method: 'GET', path, signal });
  for (const container of Array.isArray(found) ? found : []) {
    if (!isRecord(container) || typeof container['Id'] !== 'string' || !isRecord(container['Labels']))
      continue;
    if (isOfDeadProcess(container['Labels'][ownerLabel])) await removeLeftover(client, container['Id']);
  }
}

/** Another process may be removing it, too, and one that cannot be removed does no harm here. */
async function removeLeftover(client: PodmanClient, id: string): Promise<void> {
  try {
    await removeContainer(client, id);
  } catch (error) {
    if (!(error instanceof PodmanRequestError) || error.status === undefined) throw error;
  }
}

/** Kills and removes a container; one that does not exist is fine. @throws {PodmanRequestError} */
export async function removeContainer(client: PodmanClient, id: string): Promise<void> {
  try {
    await client.send({ method: 'DELETE', path: `/containers/${id}?force=true&timeout=0&v=true` });
  } catch (error) {
    if (!(error instanceof PodmanRequestError) || error.status !== 404) throw error;
  }
}

/**
 * A label is only believed when its process could be seen from here: with another boot or namespace of processes its number may be that of another process, also under the same
 * name of the machine.
 */
function isOfDeadProcess(label: unknown): boolean {
  if (typeof label !== 'string') return false;
  try {
    const identity = readIdentity(JSON.parse(label));
    if (identity === undefined || !Number.isSafeInteger(identity.pid) || identity.pid <= 0) return false;
    return hasEnded(identity);
  } catch {
    return false;
  }
}
