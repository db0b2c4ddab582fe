import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../../core/internal/index.ts';
import type { PodmanClient } from './podman-client.ts';

/** Who the commands are, so that they can read the staged files, which only their owner can. */
export interface ContainerUser {
  /** User and group in the container. */
  readonly user: string;
  /** True: the service has no rights of root, and its user is the same one in the container. */
  readonly keepsId: boolean;
  /** The owner that the staged files must get first; undefined: they have it. */
  readonly newOwner: number | undefined;
}

/** The user that has no rights anywhere. */
const unprivilegedId = 65_534;

/**
 * As root with a service of root, the staged files are given to the unprivileged user. Otherwise commands run as the user of this
 * process, which is the same one in and outside of the container.
 */
export async function containerUser(
  client: PodmanClient,
  signal: AbortSignal | undefined,
): Promise<ContainerUser> {
  const keepsId = isRootless(await client.send({ method: 'GET', path: '/info', signal }));
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  if (!keepsId && uid === 0)
    return { user: `${unprivilegedId}:${unprivilegedId}`, keepsId, newOwner: unprivilegedId };
  return { user: `${uid}:${gid}`, keepsId, newOwner: undefined };
}

function isRootless(info: unknown): boolean {
  const host = isRecord(info) ? info['host'] : undefined;
  const security = isRecord(host) ? host['security'] : undefined;
  return isRecord(security) && security['rootless'] === true;
}

/** Gives a folder with all its content to a user. The folder is private, so nothing can be exchanged meanwhile; links are not followed. */
export async function giveTo(owner: number, folder: string): Promise<void> {
  await lchown(folder, owner, owner);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await giveTo(owner, path);
    else await lchown(path, owner, owner);
  }
}
