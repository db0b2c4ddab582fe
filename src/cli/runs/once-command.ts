import { escapeInvisible, present } from '../../core/internal/index.ts';
import type { JournalLedger, KeptOnce } from '../../core/runtime/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { OnceRequest } from '../commands/once.ts';
import { journalsOf } from '../journal/open-journal.ts';
import { type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable, readableTime } from '../process/plain-text.ts';
import { resultLines } from '../query/result-text.ts';
import type { RunsParts } from './runs-command.ts';

/** Most characters of what a ledger keeps of a result. */
const maxResultCharacters = 20_000;

/**
 * Lists what tools with `once` have done, or settles a key that is in doubt.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a key that cannot be settled, and a journal that cannot be read or has no ledger.
 */
export async function onceCommand(
  request: OnceRequest,
  environment: CliEnvironment,
  { journals = journalsOf(environment), clock = systemClock }: Partial<RunsParts> = {},
): Promise<number> {
  const readOnly = request.action === 'list';
  await using journal = await journals.openExisting(request.journalNames, { readOnly });
  const { ledger } = journal ?? {};
  if (journal !== undefined && ledger === undefined) throw new UsageError('the journal has no ledger.');
  const lines =
    request.action === 'list' ? await list(request, ledger) : [await settle(request, ledger, clock.now())];
  writeLines(environment.stdout, lines);
  return exitCodes.done;
}

async function list(
  { toolName, isInDoubt, isJson }: Extract<OnceRequest, { readonly action: 'list' }>,
  ledger: JournalLedger | undefined,
): Promise<readonly string[]> {
  const state = isInDoubt ? ('in-doubt' as const) : undefined;
  const keys = (await ledger?.onceKeys(present({ toolName, state }))) ?? [];
  if (isJson) return keys.map((key) => escapeInvisible(JSON.stringify(key)));
  if (keys.length === 0) return [isInDoubt ? 'there are no keys in doubt.' : 'there are no keys.'];
  const rows = keys.map(({ toolName: tool, key, state: is, atMs, call }) => [
    tool,
    key,
    is,
    readableTime(atMs),
    call,
  ]);
  const columns = ['tool', 'key', 'state', 'since', 'call'];
  return resultLines({ columns, rows }, { width: Infinity, style: (_tone, text) => text });
}

async function settle(
  { toolName, key, result }: Extract<OnceRequest, { readonly action: 'settle' }>,
  ledger: JournalLedger | undefined,
  nowMs: number,
): Promise<string> {
  if (result !== undefined && result.length > maxResultCharacters) {
    throw new UsageError(
      `the text of --done has ${result.length} characters; it can have ${maxResultCharacters}.`,
    );
  }
  const outcome =
    result === undefined ? ({ kind: 'not-done' } as const) : ({ kind: 'done', result, atMs: nowMs } as const);
  const kept = await ledger?.settleOnce({ toolName, key }, outcome);
  const name = `the key "${printable(key)}" of "${printable(toolName)}"`;
  if (kept?.state !== 'in-doubt') throw new UsageError(`${name} cannot be settled: ${reasonOf(kept)}`);
  return result === undefined
    ? `${name} is free: the next call does it.`
    : `${name} is done: later calls read what you wrote.`;
}

/** Why a key is not settled. */
function reasonOf(kept: KeptOnce | undefined): string {
  if (kept === undefined) return 'the journal does not have it.';
  return kept.state === 'done'
    ? 'it is done already.'
    : `the call ${printable(kept.call)} is doing it now. Stop its run first: "wink runs" lists it.`;
}
