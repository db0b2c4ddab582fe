import { linesOf, oneLine } from '../../core/internal/index.ts';

/** What is known of a call that may have failed: a call of a record, or of a run that a command has carried out. */
export interface FailingCall {
  readonly toolName: string;
  /** Number of the turn that asked for it. */
  readonly turn: number;
  /** A `ToolCallOutcome`, or what became of a hosted tool. Absent: it has not ended. */
  readonly outcome?: string | undefined;
  readonly reason?: string | undefined;
  /** The policy that refused it. */
  readonly policy?: string | undefined;
  /** What the model read of it. */
  readonly message?: string | undefined;
}

/** The parts of a message that say which tool it was, which is named beside it. */
const wrappers: readonly RegExp[] = [
  /^The tool "[^"]*" failed: /,
  /^The call of "[^"]*" was denied by the policy "[^"]*": /,
  /^The call of "[^"]*" needs approval by the policy "[^"]*" /,
  /^Tool validation failed: the arguments of "[^"]*" do not fit\.\n/,
  /^Tool validation failed: /,
];

/** Why a call failed, in the words of its tool, its policy or its schema: the message without what names the tool. It may have several lines. */
export function failureReason({ message = '' }: Pick<FailingCall, 'message'>): string {
  const wrapper = wrappers.find((each) => each.test(message));
  return (wrapper === undefined ? message : message.replace(wrapper, '')).replace(leftOutside, '').trim();
}

/** What the model reads of effects outside: people read it once for a tool. */
const leftOutside = / Its effects outside of session and files remain\.$/m;

/** {@link failureReason} on one line: its first line, or every field of arguments that do not fit. */
export function failureLine(call: Pick<FailingCall, 'message' | 'reason'>): string {
  const text = failureReason(call);
  if (call.reason !== 'invalid-arguments') return linesOf(text)[0]?.trim() ?? '';
  return oneLine(
    linesOf(text)
      .filter((line) => line.trim() !== '')
      .join('; '),
  );
}

/** How a call failed, for people: `rolled back`, `denied by POLICY`. Undefined for one that has not failed. */
export function failureWord({ outcome, policy, reason }: FailingCall): string | undefined {
  switch (outcome) {
    case 'rolled-back':
      return 'rolled back';
    case 'denied':
      return `denied by ${policy ?? 'a policy'}`;
    case 'rejected':
      return 'rejected';
    case 'aborted':
      if (reason === 'in-doubt') return 'in doubt';
      return reason === 'interrupted-repeatedly' ? 'not made again' : 'stopped and rolled back';
    case 'hosted-failed':
      return 'failed at the provider';
    case 'hosted-denied':
      return 'not approved for the provider';
    default:
      return undefined;
  }
}

/** Calls of one tool that failed with the same arguments for the same reason, in the order of the run. */
export interface EqualFailures<Call> {
  readonly first: Call;
  readonly last: Call;
  readonly calls: readonly Call[];
}

/**
 * The calls that failed, those that are equal as one: same tool, same arguments, same outcome, same reason. In the order of the first ones. A call that only
 * opened sections has not failed.
 *
 * @param argumentsOf the arguments of a call, as a text that is equal for equal ones.
 */
export function equalFailures<Call extends FailingCall>(
  calls: Iterable<Call>,
  argumentsOf: (call: Call) => string,
): readonly EqualFailures<Call>[] {
  const groups = new Map<string, { first: Call; last: Call; calls: Call[] }>();
  for (const call of calls) {
    if (!isFailure(call)) continue;
    const key = failureKey(call, argumentsOf(call));
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { first: call, last: call, calls: [call] });
    else {
      known.last = call;
      known.calls.push(call);
    }
  }
  return [...groups.values()];
}

/** True for a call that has ended and was not committed, whatever the reason, unless it only opened sections. */
export function isFailure(call: FailingCall): boolean {
  return call.reason !== 'sections-opened' && failureWord(call) !== undefined;
}

/** A text that is equal for equal failures. */
export function failureKey(call: FailingCall, args: string): string {
  const { toolName, outcome, reason, policy } = call;
  return JSON.stringify([toolName, args, outcome, reason, policy, failureLine(call)]);
}

/** The turns of calls, for people: `turn 2`, `turns 2 to 6`, `turns 2, 4 and 9`. */
export function turnsText(calls: readonly Pick<FailingCall, 'turn'>[]): string {
  return numbersText(
    'turn',
    calls.map(({ turn }) => turn),
  );
}

/** Numbers with what they number: `call 3`, `calls 3 to 7`, `calls 3, 5 and 9`. */
export function numbersText(what: string, numbers: readonly (number | string)[]): string {
  const unique = [...new Set(numbers)];
  const [first] = unique;
  const last = unique.at(-1);
  if (first === undefined || last === undefined) return '';
  if (unique.length === 1) return `${what} ${first}`;
  const isRange = unique.every((number, at) => Number(number) === Number(first) + at);
  if (isRange) return `${what}s ${first} ${unique.length === 2 ? 'and' : 'to'} ${last}`;
  if (unique.length <= maxListed) return `${what}s ${unique.slice(0, -1).join(', ')} and ${last}`;
  return `${unique.length} ${what}s from ${first} to ${last}`;
}

/** More numbers, apart from a range, are counted. */
const maxListed = 4;
