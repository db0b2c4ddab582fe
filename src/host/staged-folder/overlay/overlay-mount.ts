import { chmodSync, chownSync, linkSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { segmentsOf } from '../../../core/filesystem/index.ts';
import { mountsBelow } from '../../disk/mounts.ts';
import { identityOf, modeOf } from '../../disk/stamp.ts';
import type { DiskFolder } from '../../host-filesystem/disk-source.ts';
import { HostJail } from '../../host-filesystem/jail/jail.ts';
import { Child, runProgram } from '../../process/child.ts';
import { pathVariable } from '../../process/path-variable.ts';
import { runProcess } from '../../process/run-process.ts';
import type { HiddenName } from '../staging/plan-disk.ts';
import { makePrivateFolder, removeFolder } from '../staging/private-folder.ts';
import { makeTemporary, type StagedPlace } from './staged-place.ts';

/** An overlay is not possible here; a copy is used instead. */
export class OverlayRefusedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OverlayRefusedError';
  }
}

/** The folder and lower layer of a mount. */
export interface OverlayPlace {
  /** A private folder by its real path. The mount takes the names `files`, `lower`, `upper`, `work`, `tmp` and `nothing` in it. */
  readonly folder: string;
  /** The lower layer. */
  readonly jail: HostJail;
  readonly hidden: readonly HiddenName[];
}

/**
 * Holds the namespace: as its init process it ends all others when it exits, which it does at the end of its input. The lower
 * layer is first bound to a fixed name, because any path could be parsed as mount options. The merged folder is also mounted over the lower layer, so that no
 * absolute path bypasses it. Children without a waiting parent are reaped automatically.
 */
const holdScript = `set -e
read -r pid rest </proc/self/stat
mount --bind -- "$1" lower
mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr,index=off,metacopy=off overlay files
mount --bind files "$1"
mount -t proc proc /proc
trap '' CHLD
echo "$pid"
exec cat >/dev/null`;

/** Starts a command in the merged folder and nowhere else. */
const enterScript = 'cd -- "$1" && [ . -ef "$2" ] && cd -- "$3" && shift 3 && exec "$@"';

const isPrivileged = (): boolean => process.geteuid?.() === 0;

/** Only a PATH to find programs, and a fixed locale. */
const environment = (): Readonly<Record<string, string>> => ({ ...pathVariable(), LC_ALL: 'C' });

/**
 * Mounts an overlay in a namespace of its own: a folder on disk with an upper layer that receives every change. Processes inside see
 * it at the path that the folder has for all others. It ends with this process, however that ends.
 * @throws {OverlayRefusedError} when the operating system refuses it.
 */
export async function mountOverlay({ folder, jail, hidden }: OverlayPlace): Promise<StagedPlace> {
  const root = jail.realPath;
  assertWithoutMounts(root);
  for (const name of ['files', 'lower', 'upper', 'work']) await mkdir(join(folder, name));
  const upper = join(folder, 'upper');
  copyLowerAttributes(jail, [], upper);
  await hide(jail, folder, hidden);
  const temporary = await makeTemporary(folder);
  const holder = await holdNamespace(folder, root);
  const path = `/proc/${holder.pid}/root${folder}/files`;
  try {
    // Verify both mounts: the expected folder as lower layer, the merged folder mounted over it.
    const bottom = await stat(`/proc/${holder.pid}/root${folder}/lower`, { bigint: true });
    const [merged, top] = await Promise.all(
      [path, `/proc/${holder.pid}/root${root}`].map((place) => stat(place, { bigint: true })),
    );
    const wanted = jail.within([], (pathOf) => statSync(pathOf(), { bigint: true }));
    const isMerged = merged !== undefined && top !== undefined && identityOf(merged) === identityOf(top);
    if (identityOf(bottom) !== identityOf(wanted) || !isMerged || identityOf(bottom) === identityOf(merged)) {
      throw new OverlayRefusedError('The folder was replaced while it was mounted.');
    }
  } catch (error) {
    await holder[Symbol.asyncDispose]();
    throw error instanceof OverlayRefusedError
      ? error
      : new OverlayRefusedError('The mount cannot be reached.');
  }
  const target = ['--target', String(holder.pid), '--mount', '--pid'];
  const asUser = isPrivileged() ? [] : ['--user', '--preserve-credentials'];
  const enter = ['--', 'sh', '-c', enterScript, 'sh', root, join(folder, 'files')];
  return {
    kind: 'overlay',
    path,
    upper,
    innerPaths: [join(folder, 'files'), root],
    temporary,
    commandLine: (command, args, cwd) => ({
      command: 'nsenter',
      args: [...target, ...asUser, ...enter, `./${cwd}`, command, ...args],
      cwd: folder,
    }),
    [Symbol.asyncDispose]: async () => holder[Symbol.asyncDispose](),
  };
}

/** Starts the process that keeps the namespace alive. */
async function holdNamespace(folder: string, root: string): Promise<{ pid: number } & AsyncDisposable> {
  const asUser = isPrivileged() ? [] : ['--user', '--map-current-user', '--keep-caps'];
  const flags = [...asUser, '--mount', '--pid', '--fork', '--kill-child'];
  // A separate session, so that signals from the terminal do not reach it.
  const child = new Child(
    { command: 'unshare', args: [...flags, 'sh', '-c', holdScript, 'sh', root], cwd: folder },
    { env: environment(), stdio: ['pipe', 'pipe', 'ignore'], group: 'kept' },
  );
  const said = new Promise<number>((resolve) => {
    const output = child.pipe(1).setEncoding('utf8');
    output.once('data', (line: string) => resolve(Number(line)));
  });
  const pid = await Promise.race([said, child.ended.then(() => undefined)]);
  if (pid === undefined)
    throw new OverlayRefusedError('The operating system does not mount an overlay here.');
  child.discard();
  child.hold(false);
  return {
    pid,
    [Symbol.asyncDispose]: async () => {
      child.hold(true);
      child.pipe(0).end();
      await child.ended;
    },
  };
}

/** A mount below the folder would be missing in the overlay. */
function assertWithoutMounts(root: string): void {
  if (mountsBelow(root).length > 0) throw new OverlayRefusedError('Something is mounted in the folder.');
}

/** Hides names of the lower layer by whiteouts: devices 0/0 of the same name in the upper layer. */
async function hide(jail: HostJail, folder: string, hidden: readonly HiddenName[]): Promise<void> {
  if (hidden.length === 0) return;
  const nothing = join(folder, 'nothing');
  try {
    await runProgram('mknod', ['-m', '0', nothing, 'c', '0', '0'], environment());
    let made = '.';
    for (const { folder: path, name } of hidden) {
      const place = join(folder, 'upper', path);
      if (path !== made) makeParents(jail, join(folder, 'upper'), segmentsOf(path));
      made = path;
      linkSync(nothing, Buffer.concat([Buffer.from(`${place}/`), name]));
    }
  } catch {
    throw new OverlayRefusedError('Excluded files cannot be hidden here.');
  }
}

function makeParents(jail: HostJail, upper: string, segments: readonly string[]): void {
  for (let depth = 1; depth <= segments.length; depth += 1) {
    const place = join(upper, ...segments.slice(0, depth));
    if (statSync(place, { throwIfNoEntry: false }) !== undefined) continue;
    mkdirSync(place);
    copyLowerAttributes(jail, segments.slice(0, depth), place);
  }
}

/** Gives a directory of the upper layer the permissions and owner of the lower one. */
function copyLowerAttributes(jail: HostJail, segments: readonly string[], place: string): void {
  const found = jail.within(segments, (pathOf) => statSync(pathOf(), { bigint: true }));
  if (isPrivileged()) chownSync(place, Number(found.uid), Number(found.gid));
  chmodSync(place, modeOf(found));
}

/**
 * Whether overlays work with their layers in this folder. Tried once for each device: mounting, hiding, replacing a file, a
 * folder and the other way round, and running a program.
 * @param trials the results of earlier trials.
 * @returns why they do not work; undefined when they do.
 */
export function overlayRefusal(
  trials: DiskFolder['overlayTrials'],
  tempRoot: string,
): Promise<Error | undefined> {
  const { dev } = lstatSync(tempRoot);
  const known = trials.get(dev);
  if (known !== undefined) return known;
  const trial = tryOverlay(tempRoot);
  trials.set(dev, trial);
  // A failure of the trial itself may be temporary.
  trial.catch(() => trials.delete(dev));
  return trial;
}

async function tryOverlay(tempRoot: string): Promise<OverlayRefusedError | undefined> {
  if (process.platform !== 'linux') return new OverlayRefusedError('Overlays require Linux.');
  const folder = await makePrivateFolder(tempRoot, undefined);
  try {
    await tryIn(folder);
    return undefined;
  } catch (error) {
    return error instanceof OverlayRefusedError
      ? error
      : new OverlayRefusedError('An overlay does not work here.');
  } finally {
    await removeFolder(folder);
  }
}

async function tryIn(folder: string): Promise<void> {
  const root = join(folder, 'root');
  await mkdir(join(root, 'deep/er'), { recursive: true });
  for (const name of ['edited', 'hidden', 'deep/file', 'deep/er/file'])
    await writeFile(join(root, name), 'old');
  const layers = join(folder, 'layers');
  await mkdir(layers);
  const jail = HostJail.open(root);
  try {
    const hidden = [{ folder: '.', name: Buffer.from('hidden') }];
    await using mount = await mountOverlay({ folder: layers, jail, hidden });
    await writeFile(join(mount.path, 'edited'), 'new');
    await rm(join(mount.path, 'deep'), { recursive: true });
    await mkdir(join(mount.path, 'deep'));
    const script =
      '[ "$(cat edited)" = new ] && [ ! -e deep/file ] && [ ! -e hidden ] && echo made >deep/made';
    const { exitCode } = await runProcess(mount.commandLine('sh', ['-c', script], '.'), {}).ended;
    const isAsWanted =
      exitCode === 0 &&
      (await readdir(join(mount.path, 'deep'))).join() === 'made' &&
      (await readdir(join(layers, 'upper'))).toSorted().join() === 'deep,edited,hidden' &&
      (await readFile(join(root, 'edited'), 'utf8')) === 'old' &&
      (await readdir(root, { recursive: true })).length === 6;
    if (!isAsWanted) throw new OverlayRefusedError('An overlay does not keep changes apart here.');
  } finally {
    jail.dispose();
  }
}
