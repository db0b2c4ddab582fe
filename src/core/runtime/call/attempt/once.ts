import { keptName } from '../../../error/index.ts';
import { startOf } from '../../../internal/index.ts';
import { hashOfText } from '../../../prompt/index.ts';
import { canonicalJson } from '../../../schema/index.ts';
import { ToolResult } from '../../../tool/index.ts';
import type { OnceAnswer, OnceCall, OncePurpose } from '../../journal/journal-ledger.ts';
import { awaitHook } from '../environment/call-hooks.ts';
import { type FailedVerdict, failed, type Verdict } from '../tool-call/verdict.ts';
import type { CallAttempt } from './attempt.ts';
import { AttemptEnd } from './exceptions.ts';
import { toModelText } from './handler-result.ts';

/** Most characters of what a ledger keeps of a result. */
const maxKeptCharacters = 20_000;

/**
 * Asks the ledger for the key of a call, which it has from then on where that is free or in doubt.
 *
 * @returns undefined where it is not asked: the tool has no `once`, a record answers in the place of the handler, or what the handler did waits for its commit.
 * @throws {AttemptEnd} for a key that cannot be used.
 */
export async function askOnce(attempt: CallAttempt, purpose: OncePurpose): Promise<OnceAnswer | undefined> {
  const { environment, tool } = attempt;
  const ledger = environment.hooks?.once;
  if (tool.once === undefined) return undefined;
  // The input schema of this very tool has made the params. The handler may write to them later.
  attempt.onceKey ??= assertKey(tool.name, tool.once(attempt.params as never));
  if (ledger === undefined) return undefined;
  const { params } = attempt.resolved;
  const call: OnceCall = {
    toolName: tool.name,
    key: attempt.onceKey,
    digest: hashOfText(canonicalJson(params)),
    call: attempt.idempotencyKey,
    atMs: environment.clock.now(),
  };
  const answer = await awaitHook(() => ledger.ask(call, purpose));
  if (answer === undefined) return undefined;
  const ifUnknown = answer.kind === 'free' && purpose === 'begin' ? 'not-done' : 'in-doubt';
  if (answer.kind === 'free' || answer.kind === 'in-doubt') attempt.heldKey = { call, ledger, ifUnknown };
  return answer;
}

/** The handler of a call begins that has its key: written with the row that says so, on which it waits. */
export function beginOnce({ heldKey }: CallAttempt): void {
  if (heldKey !== undefined) heldKey.ledger.change({ ...heldKey.call, kind: 'begun' });
}

/**
 * Says what became of the key of an attempt, once that is known: a success was done, whether it is committed or not; a failed result says that nothing was. Everything else may have taken
 * effect.
 */
export function endOnce(attempt: CallAttempt, verdict: Verdict): void {
  const { heldKey, rendered = '', success } = attempt;
  if (heldKey === undefined) return;
  attempt.heldKey = undefined;
  const { call, ledger, ifUnknown } = heldKey;
  if (success !== undefined && attempt.hasReturned) {
    const result = startOf(toModelText(success, rendered), maxKeptCharacters);
    ledger.change({ ...call, kind: 'done', result });
    return;
  }
  const wasNot = verdict.kind === 'failed' && verdict.reason === 'failed-result';
  ledger.change({ ...call, kind: wasNot ? 'not-done' : ifUnknown });
}

/**
 * What takes the place of the handler: the success of the call that did it, or the failure of this one.
 *
 * @returns `free` where nothing does.
 */
export function answeredOnce(
  attempt: CallAttempt,
  answer: Exclude<OnceAnswer, { readonly kind: 'in-doubt' }>,
): 'free' | 'answered' | FailedVerdict {
  const { onceKey = '', tool } = attempt;
  switch (answer.kind) {
    case 'free':
      return 'free';
    case 'done': {
      const message = `This was done before, and was not done again. The result was:\n\n${answer.result}`;
      attempt.success = ToolResult.ok(undefined, startOf(message, attempt.maxResultCharacters));
      // What a record answers passes no output schema, and dispatches no event of the tool: there is no value.
      attempt.isFromRecord = true;
      attempt.wasDone = true;
      return 'answered';
    }
    case 'differs':
      return failed(
        'rejected',
        'once-differs',
        `"${tool.name}" was not called: a call with other arguments has done "${onceKey}", or is doing it. Find out what was done; the same arguments return it.`,
      );
    case 'busy':
      return failed(
        'rejected',
        'once-busy',
        `"${tool.name}" was not called: another call is doing "${onceKey}" now. Call it again later to get its result.`,
      );
  }
}

function assertKey(toolName: string, key: unknown): string {
  if (keptName.isUsable(key)) return key;
  throw new AttemptEnd(
    failed(
      'rejected',
      'invalid-arguments',
      `"${toolName}" was not called: what its arguments name has to be ${keptName.what}.`,
    ),
  );
}
