import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { databaseAddress, openQueue } from '../../../../src/cli/worker/open-queue.ts';

const address = 'postgres://user:very-secret@127.0.0.1:1/runs';

/** A folder that has a package pg-boss. */
function folderWith(version: string, source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'wink-boss-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = join(folder, 'node_modules/pg-boss');
  mkdirSync(join(at, 'dist'), { recursive: true });
  const manifest = { name: 'pg-boss', version, type: 'module', main: './dist/index.js' };
  writeFileSync(join(at, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(at, 'dist/index.js'), source);
  return folder;
}

const open = (folder: string): Promise<unknown> =>
  openQueue({ address, folder, isForWork: true, onError: () => undefined }).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('openQueue', () => {
  it.each(['10.4.2', '11.1.1', '12.12.0'])('refuses pg-boss %s by its version', async (version) => {
    const error = await open(folderWith(version, 'export const PgBoss = undefined;'));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(`needs pg-boss 12.13 or later, and ${version} is installed`);
    expect(String(error)).toContain('npm install pg-boss@12');
  });

  it('says that a database cannot be used, without its password', async () => {
    const source = `export class PgBoss {
      on() {}
      async start() { throw new Error('connect ECONNREFUSED'); }
      async stop() {}
    }`;
    const error = await open(folderWith('12.38.0', source));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(
      '"postgres://user@127.0.0.1:1/runs" cannot be used: connect ECONNREFUSED.',
    );
  });
});

describe('databaseAddress', () => {
  it('is that of the option, or of the environment', () => {
    expect(databaseAddress(address, {})).toBe(address);
    expect(databaseAddress(undefined, { WINK_JOURNAL: address })).toBe(address);
  });

  it.each([undefined, 'runs.db'])('refuses the journal %s', (name) => {
    expect(() => databaseAddress(name, {})).toThrow('workers need a journal in PostgreSQL');
  });
});
