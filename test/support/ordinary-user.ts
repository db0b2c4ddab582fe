import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';

const nobodyId = 65_534;
const isSuperuser = process.getuid?.() === 0;

/**
 * Gives a folder to somebody from whom the operating system keeps things closed, as it does not from the superuser.
 * @returns who that is, for `spawn`: nobody where this process is the superuser's, else the present user.
 */
export function giveToOrdinaryUser(folder: string): { readonly uid?: number } {
  if (!isSuperuser) return {};
  execFileSync('chown', ['-R', String(nobodyId), folder]);
  return { uid: nobodyId };
}

/** Acts as somebody to whom the folder belongs and who may do no more than that. */
export async function asOrdinaryUser<Value>(folder: string, action: () => Promise<Value>): Promise<Value> {
  const { uid } = giveToOrdinaryUser(folder);
  if (uid === undefined) return action();
  process.seteuid?.(uid);
  try {
    return await action();
  } finally {
    process.seteuid?.(0);
  }
}

/** False where that somebody cannot start Node or read the file: both may lie in a folder that is closed to others. */
export function canOrdinaryUserRun(file: string): boolean {
  const program = 'require("node:fs").readFileSync(process.argv[1])';
  const { status } = spawnSync(process.execPath, ['-e', program, file], {
    ...(isSuperuser ? { uid: nobodyId } : {}),
    stdio: 'ignore',
  });
  return status === 0;
}

/** Removes a folder, also where a test has left something in it closed. */
export function removeTestFolder(folder: string): void {
  if (!isSuperuser && existsSync(folder)) execFileSync('chmod', ['-R', 'u+rwX', folder]);
  rmSync(folder, { recursive: true, force: true });
}
