import type { Finding } from './finding.ts';
import type { Machine } from './machine.ts';
import { packageFrom } from './packages.ts';
import { isAtLeast, majorOf } from './versions.ts';

const install = 'install Node 24: https://nodejs.org/en/download';

/** The version of Node. */
export function checkNode({ nodeVersion }: Pick<Machine, 'nodeVersion'>): Finding {
  const subject = `node ${nodeVersion}`;
  const about = '20.19, 22.13 or later needed';
  const major = majorOf(nodeVersion);
  if (!isAtLeast(nodeVersion, '20.19'))
    return { status: 'missing', subject, about, repair: install, isNeeded: true };
  if (major % 2 === 1)
    return { status: 'warning', subject, about: `${major} is not supported, 22 and 24 are`, repair: install };
  if (major === 22 && !isAtLeast(nodeVersion, '22.13'))
    return { status: 'warning', subject, about: 'no node:sqlite, which 22.13 has', repair: install };
  return { status: 'ok', subject, about };
}

/** What keeps journals. */
export async function checkSqlite(
  { nodeVersion, sqliteVersion }: Pick<Machine, 'nodeVersion' | 'sqliteVersion'>,
  folder: string,
): Promise<readonly Finding[]> {
  const version = await sqliteVersion();
  const about = '--durable, approvals, rewind';
  const own: Finding =
    version === undefined
      ? {
          status: 'missing',
          subject: 'node:sqlite',
          about,
          repair: 'install Node 22.13 or later: https://nodejs.org/en/download',
        }
      : version !== '' && !isAtLeast(version, '3.51.3')
        ? {
            status: 'warning',
            subject: `node:sqlite ${version}`,
            about: 'one process at a time: several need SQLite 3.51.3',
            repair: install,
          }
        : { status: 'ok', subject: 'node:sqlite', about };
  const driver = checkDriver(folder, nodeVersion, version === undefined);
  return driver === undefined ? [own] : [own, driver];
}

/** The driver of programs, which the command does not use. @returns undefined: it is not there, and not missed. */
function checkDriver(folder: string, nodeVersion: string, isMissed: boolean): Finding | undefined {
  const found = packageFrom(folder, 'better-sqlite3');
  const isOld = majorOf(nodeVersion) < 22;
  const repair = `npm install better-sqlite3@${isOld ? 12 : 13}`;
  const about = 'sqliteJournal({ database })';
  if (found === undefined)
    return isMissed ? { status: 'missing', subject: 'better-sqlite3', about, repair } : undefined;
  const subject = `better-sqlite3 ${found.version}`;
  if (isOld && majorOf(found.version) > 12)
    return { status: 'warning', subject, about: 'ends a process of Node 20 without an error', repair };
  if (!isAtLeast(found.version, '12.11'))
    return { status: 'warning', subject, about: `${about} needs 12.11`, repair };
  return { status: 'ok', subject, about };
}
