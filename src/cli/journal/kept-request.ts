import { isRecord } from '../../core/internal/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { type RunTask, readRunArguments } from '../options/run-arguments.ts';
import { readServeArguments, type ServeTask } from '../options/serve-arguments.ts';
import { UsageError } from '../process/errors.ts';

/** What a run was begun with, as its journal keeps it: the command, and what it was asked to do. Paths are absolute. */
export type KeptRequest = ({ readonly kind: 'run' } & RunTask) | ({ readonly kind: 'serve' } & ServeTask);

/** Raised when a member of a request gets another meaning; members that are new need no other version. */
const version = 1;

/** The request as JSON. */
export function toJournal(request: KeptRequest): JsonObject {
  // What was read from a command line is JSON, but for members that are undefined.
  return { version, ...(JSON.parse(JSON.stringify(request)) as JsonObject) };
}

/**
 * Reads a request from what the journal has of a run.
 *
 * @returns undefined for a run that another program has begun; `unreadable` for what a later version has written, and for words that are no longer known.
 */
export function fromJournal({
  request,
  call,
}: JsonObject): { readonly request: KeptRequest | 'unreadable' } | undefined {
  if (isRecord(request)) {
    const isKnown =
      request['version'] === version && (request['kind'] === 'run' || request['kind'] === 'serve');
    // Written by `toJournal`; a member that is undefined is absent.
    return { request: isKnown ? (request as unknown as KeptRequest) : 'unreadable' };
  }
  const isWords = Array.isArray(call) && call.every((word) => typeof word === 'string');
  return isWords ? { request: fromWords(call) } : undefined;
}

/** Until 0.2.0 a journal kept the words of the command line, without those about the journal. */
function fromWords(words: readonly string[]): KeptRequest | 'unreadable' {
  try {
    const [kind, ...rest] = [...words, '--durable'];
    const request = kind === 'serve' ? readServeArguments(rest) : readRunArguments([...words, '--durable']);
    if (request.kind === 'run' && request.durable !== undefined)
      return { kind: 'run', ...request.durable.task };
    if (request.kind === 'serve' && request.durable !== undefined)
      return { kind: 'serve', ...request.durable.task };
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof TypeError)) throw error;
  }
  return 'unreadable';
}
