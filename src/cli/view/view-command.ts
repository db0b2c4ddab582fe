import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RecordError } from '../../core/error/index.ts';
import { untilAborted } from '../../core/internal/index.ts';
import { Child } from '../../host/index.ts';
import type { ViewRequest } from '../commands/view.ts';
import { findRecord } from '../journal/journaled-record.ts';
import { type Journals, journalsOf } from '../journal/open-journal.ts';
import { writeRecord } from '../journal/write-record.ts';
import { type CliEnvironment, CliInterruption, exitCodes } from '../process/environment.ts';
import { errorMessage, isOfLaterVersion, orUsageError, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { checkRecord, refusedRecord, sentenceOf, untilDamage } from './check-record.ts';
import { startFollowServer } from './follow-server.ts';
import { tailRecord } from './tail-record.ts';
import {
  EmbeddedRecord,
  readViewerPage,
  servedPage,
  type ViewerPage,
  withFileName,
  withRunName,
} from './viewer-page.ts';

/** Browsers refuse a text of more than 512 MiB, and a page holds the record as one. */
const maxPageRecordBytes = 400_000_000;

/** What the command takes from outside, so that tests can replace it. */
export interface ViewParts {
  readonly open: OpenTarget;
  readonly readPage: () => Promise<ViewerPage>;
  readonly journals: Journals;
}

/**
 * Makes a page of a record and opens it, or serves the page while the run continues. Of a damaged record the page shows what comes before the damage.
 *
 * @returns the exit code of the process: 2 for a damaged record.
 * @throws {UsageError} for a file that is not a record, or a page that cannot be written.
 */
export async function viewCommand(
  request: ViewRequest,
  environment: CliEnvironment,
  parts: Partial<ViewParts> = {},
): Promise<number> {
  const { open: show = openTarget, readPage = readViewerPage, journals = journalsOf(environment) } = parts;
  const exported = await recordOf(request, environment, journals);
  const shown = { ...request, file: exported.file };
  try {
    await using record = await openRecord(shown.file);
    if (!shown.isFollowing) await checkSize(record);
    const damage = (await checkRecord(record, shown)) ?? exported.damage;
    const built = await readPage();
    const page = exported.isTemporary
      ? withRunName(built, exported.name)
      : withFileName(built, basename(shown.file));
    if (shown.isFollowing) return await follow(shown, environment, page, record, show);
    await write(shown, environment, page, record, show);
    return sayDamage(damage, exported.name, environment);
  } finally {
    if (exported.isTemporary) await rm(dirname(exported.file), { recursive: true });
  }
}

/** @returns the exit code. */
function sayDamage(
  damage: string | undefined,
  name: string,
  { stderr }: Pick<CliEnvironment, 'stderr'>,
): number {
  if (damage === undefined) return exitCodes.done;
  stderr.write(`wink: "${printable(name)}" is damaged: ${damage} The page shows what comes before.\n`);
  return exitCodes.usage;
}

/** A file with the record that is shown. */
interface ShownRecord {
  readonly file: string;
  /** As it is called in messages. */
  readonly name: string;
  /** What is wrong with the row after it; undefined: nothing that is known. */
  readonly damage: string | undefined;
  /** Whether it is in a private folder of its own, for as long as the command runs. */
  readonly isTemporary: boolean;
}

/** The file of a record; of a run in a journal one that is made for this command. */
async function recordOf(
  request: ViewRequest,
  environment: CliEnvironment,
  journals: Journals,
): Promise<ShownRecord> {
  await using found = await findRecord({ ...request, isShown: true }, environment, journals);
  if (found.kind === 'file') {
    return { file: found.file, name: found.file, damage: undefined, isTemporary: false };
  }
  if (request.isFollowing) {
    throw new UsageError('--follow shows a record in a file; without it the run is shown as it is now.');
  }
  const { runId: name } = found.run;
  const folder = await privateFolder();
  const file = join(folder, `${name.replaceAll(/[^\w.-]/g, '-')}.jsonl`);
  const ending: { damage?: RecordError } = {};
  try {
    await writeRecord(
      untilDamage(found.lines(), (error) => {
        ending.damage = error;
      }),
      file,
    );
    const { damage } = ending;
    if (isOfLaterVersion(damage)) throw refusedRecord(name, damage);
    return { file, name, damage: damage === undefined ? undefined : sentenceOf(damage), isTemporary: true };
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}

async function openRecord(name: string): Promise<FileHandle> {
  const wordsOf = (error: unknown): string => `cannot read "${printable(name)}": ${errorMessage(error)}.`;
  const found = await orUsageError(() => stat(name), wordsOf);
  if (!found.isFile()) throw new UsageError(`cannot read "${printable(name)}": it is not a regular file.`);
  return orUsageError(() => open(name, 'r'), wordsOf);
}

async function write(
  request: ViewRequest,
  { stdout, stderr }: CliEnvironment,
  page: ViewerPage,
  record: FileHandle,
  show: OpenTarget,
): Promise<void> {
  const target = request.out ?? join(await privateFolder(), pageName(basename(request.file)));
  if (request.out !== undefined) await checkTarget(request.out, request.file);
  await orUsageError(
    () => writePage(page, record, target),
    (error) => `cannot write "${printable(target)}": ${errorMessage(error)}.`,
  );
  stdout.write(`${printable(resolve(target))}\n`);
  if (request.isOpened) await openIt(resolve(target), show, stderr);
}

/** @throws {UsageError} for a record that no page holds. */
async function checkSize(record: FileHandle): Promise<void> {
  const { size } = await record.stat();
  if (size <= maxPageRecordBytes) return;
  const megabytes = Math.round(size / 1e6);
  throw new UsageError(
    `a page holds records of up to ${maxPageRecordBytes / 1e6} MB, and this one has ${megabytes} MB: --follow shows larger ones.`,
  );
}

/** @throws {UsageError} when the page would take the place of the record, or of something that is not a file. */
async function checkTarget(out: string, file: string): Promise<void> {
  const found = await realpath(out).catch(() => undefined);
  if (found === undefined) return;
  if (found === (await realpath(file))) throw new UsageError('--out names the record itself.');
  if (!(await stat(found)).isFile()) {
    throw new UsageError(`cannot write "${printable(out)}": it is not a regular file.`);
  }
}

async function openIt(file: string, show: OpenTarget, stderr: CliEnvironment['stderr']): Promise<void> {
  const problem = await show(file);
  if (problem !== undefined) stderr.write(`wink: the page was not opened: ${printable(problem)}.\n`);
}

async function follow(
  request: ViewRequest,
  { stdout, stderr, signal, after }: CliEnvironment,
  page: ViewerPage,
  record: FileHandle,
  show: OpenTarget,
): Promise<number> {
  const server = await startFollowServer(servedPage(page), tailRecord(record, after));
  try {
    stdout.write(`${server.address}\n`);
    stderr.write('wink: serving the record on this machine until Ctrl-C.\n');
    if (request.isOpened) {
      const door = join(await privateFolder(), 'open.html');
      await writeFile(door, doorTo(server.address), { flag: 'wx', mode: 0o600 });
      await openIt(door, show, stderr);
    }
    await untilAborted(new Promise<never>(() => undefined), signal);
    return exitCodes.done;
  } catch (error) {
    // An interrupt is how it ends.
    if (error instanceof CliInterruption && error.kind === 'interrupted') return exitCodes.done;
    throw error;
  } finally {
    await server.close();
  }
}

/** A page that leads to an address. Arguments of a process can be read by every user of the machine, and the address holds the token. */
function doorTo(address: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}"><title>wink view</title>\n`;
}

/** Only the user reads a page: it holds everything that the run read and wrote. */
const privateMode = 0o600;

/**
 * Writes a page with a record, as it is now, to a file that only the user can read. The file takes its place when it is complete.
 * @throws {Error} of the file system.
 */
async function writePage(page: ViewerPage, record: FileHandle, target: string): Promise<void> {
  const part = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  try {
    await pipeline(
      Readable.from(partsOf(page, record)),
      createWriteStream(part, { flags: 'wx', mode: privateMode }),
    );
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function* partsOf(page: ViewerPage, record: FileHandle): AsyncGenerator<string | Uint8Array> {
  const embedded = new EmbeddedRecord();
  yield page.head;
  for await (const chunk of record.createReadStream({ start: 0, autoClose: false })) {
    // Without an encoding the stream reads bytes.
    yield embedded.add(chunk as Uint8Array);
  }
  yield embedded.rest();
  yield page.tail;
}

/** A new folder for temporary files that only the user can read. */
function privateFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'wink-view-'));
}

/** The name of the page for a record: `run.html` for `run.jsonl`. */
function pageName(recordName: string): string {
  return `${recordName.replace(/\.(jsonl|ndjson|json)$/i, '')}.html`;
}

/** Opens a file with the program that the system has for it. Resolves with the reason when that cannot be started. */
export type OpenTarget = (file: string) => Promise<string | undefined>;

/** The program that opens a file, with its arguments. None of them is a shell, so that no name of a file is a command. */
export function openerOf(
  platform: NodeJS.Platform,
  file: string,
): { readonly program: string; readonly args: readonly string[] } {
  switch (platform) {
    case 'darwin':
      return { program: 'open', args: [file] };
    case 'win32':
      return { program: 'rundll32', args: ['url.dll,FileProtocolHandler', file] };
    default:
      return { program: 'xdg-open', args: [file] };
  }
}

/** Opens with a process of its own, which continues when this one has ended. */
export const openTarget: OpenTarget = async (file) => {
  const { program, args } = openerOf(process.platform, file);
  const stdio = ['ignore', 'ignore', 'ignore'] as const;
  const child = new Child({ command: program, args }, { env: process.env, stdio, group: 'kept' });
  try {
    await child.started();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? `there is no program ${program}` : `${program} cannot be started`;
  }
  child.hold(false);
  return undefined;
};
