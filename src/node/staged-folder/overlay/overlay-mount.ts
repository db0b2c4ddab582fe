import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, linkSync, mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { segmentsOf } from '../../../filesystem/index.ts';
import { mountsBelow } from '../../disk/mounts.ts';
import { identityOf, modeOf } from '../../disk/stamp.ts';
import type { HostJail } from '../../host-filesystem/jail/jail.ts';
import type { HiddenName } from '../staging/plan-disk.ts';

/** There is no overlay here; what stands instead of it is a copy. */
export class OverlayRefusedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OverlayRefusedError';
  }
}

/** A folder of the disk seen through a layer that keeps every change. */
export interface OverlayMount {
  /** The merged folder as this process finds it. */
  readonly path: string;
  /** The merged folder as processes within find it: where the folder of the disk is for all others. */
  readonly innerPath: string;
  /** What has been changed. */
  readonly upper: string;
  /** The command line that starts a command within, in a folder below the merged one. */
  enter(command: string, args: readonly string[], cwd: string): readonly string[];
  /** Ends every process within, then the mount. */
  dispose(): Promise<void>;
}

/** Where a mount is to be made. */
export interface OverlayPlace {
  /** A private folder by its real path. The mount takes the names `files`, `lower`, `upper`, `work` and `nothing` in it. */
  readonly folder: string;
  /** The lower layer. */
  readonly jail: HostJail;
  readonly hidden: readonly HiddenName[];
}

/**
 * Holds the namespace: as its first process it ends all others when it ends, which it does when its input ends. The lower
 * layer gets a name of ours first, since no path can be told from options for certain. The merged folder also comes to the place of the lower layer, so that no
 * absolute path leads a process around it. Children that nobody waits for vanish by themselves.
 */
const HOLD = `set -e
read -r pid rest </proc/self/stat
mount --bind -- "$1" lower
mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr,index=off,metacopy=off overlay files
mount --bind files "$1"
mount -t proc proc /proc
trap '' CHLD
echo "$pid"
exec cat >/dev/null`;

/** Starts a command in the merged folder and nowhere else. */
const ENTER = 'cd -- "$1" && [ . -ef "$2" ] && cd -- "$3" && shift 3 && exec "$@"';

const isPrivileged = (): boolean => process.geteuid?.() === 0;

/** Nothing but a path to look for programs, and messages that nobody reads. */
const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], LC_ALL: 'C' });

/**
 * Mounts an overlay in a namespace of its own. It ends with this process, whatever ends that.
 * @throws {OverlayRefusedError} when the operating system will not have it.
 */
export async function mountOverlay({ folder, jail, hidden }: OverlayPlace): Promise<OverlayMount> {
  const root = jail.realPath;
  assertWithoutMounts(root);
  for (const name of ['files', 'lower', 'upper', 'work']) await mkdir(join(folder, name));
  const upper = join(folder, 'upper');
  copyLowerAttributes(jail, [], upper);
  await hide(jail, folder, hidden);
  const holder = await NamespaceHolder.start(folder, root);
  const path = `/proc/${holder.pid}/root${folder}/files`;
  try {
    // Both ends as planned: this very folder below, the merged one in its place.
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
    await holder.dispose();
    throw error instanceof OverlayRefusedError
      ? error
      : new OverlayRefusedError('The mount cannot be reached.');
  }
  const target = ['--target', String(holder.pid), '--mount', '--pid'];
  const asUser = isPrivileged() ? [] : ['--user', '--preserve-credentials'];
  return {
    path,
    innerPath: root,
    upper,
    enter: (command, args, cwd) => [
      'nsenter',
      ...target,
      ...asUser,
      '--',
      ...['sh', '-c', ENTER, 'sh', root, join(folder, 'files'), `./${cwd}`, command, ...args],
    ],
    dispose: () => holder.dispose(),
  };
}

/** The process that the namespace lives with. */
class NamespaceHolder {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #end: Promise<unknown>;

  private constructor(pid: number, child: ChildProcess, end: Promise<unknown>) {
    this.pid = pid;
    this.#child = child;
    this.#end = end;
  }

  static async start(folder: string, root: string): Promise<NamespaceHolder> {
    const asUser = isPrivileged() ? [] : ['--user', '--map-current-user', '--keep-caps'];
    const flags = [...asUser, '--mount', '--pid', '--fork', '--kill-child'];
    // A session of its own: a key pressed in the terminal is for others.
    const child = spawn('unshare', [...flags, 'sh', '-c', HOLD, 'sh', root], {
      cwd: folder,
      env: environment(),
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    const end = new Promise((resolve) => {
      child.once('error', resolve);
      child.once('close', resolve);
    });
    // It may end before it is told to.
    child.stdin.on('error', () => undefined);
    const said = new Promise<number>((resolve) => {
      child.stdout.setEncoding('utf8').once('data', (line: string) => resolve(Number(line)));
    });
    const pid = await Promise.race([said, end.then(() => undefined)]);
    if (pid === undefined)
      throw new OverlayRefusedError('The operating system does not mount an overlay here.');
    child.stdout.destroy();
    child.unref();
    return new NamespaceHolder(pid, child, end);
  }

  async dispose(): Promise<void> {
    this.#child.ref();
    this.#child.stdin?.end();
    await this.#end;
  }
}

/** A mount below the folder would be missing in an overlay of it. */
function assertWithoutMounts(root: string): void {
  if (mountsBelow(root).length > 0) throw new OverlayRefusedError('Something is mounted in the folder.');
}

/** Hides names of the lower layer: a device 0/0 of the same name in the upper one stands for nothing. */
async function hide(jail: HostJail, folder: string, hidden: readonly HiddenName[]): Promise<void> {
  if (hidden.length === 0) return;
  const nothing = join(folder, 'nothing');
  try {
    await promisify(execFile)('mknod', ['-m', '0', nothing, 'c', '0', '0'], { env: environment() });
    let made = '.';
    for (const { folder: path, name } of hidden) {
      const place = join(folder, 'upper', path);
      if (path !== made) makeParents(jail, join(folder, 'upper'), segmentsOf(path));
      made = path;
      linkSync(nothing, Buffer.concat([Buffer.from(`${place}/`), name]));
    }
  } catch {
    throw new OverlayRefusedError('What is not to be seen cannot be hidden here.');
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

/** A directory of the upper layer stands for the one below it, with permissions and owner. */
function copyLowerAttributes(jail: HostJail, segments: readonly string[], place: string): void {
  const found = jail.within(segments, (pathOf) => statSync(pathOf(), { bigint: true }));
  if (isPrivileged()) chownSync(place, Number(found.uid), Number(found.gid));
  chmodSync(place, modeOf(found));
}
