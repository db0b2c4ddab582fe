import { PromptValidationError } from '../../error/index.ts';
import type { EvaluateOptions } from './evaluate-options.ts';

const known: { readonly [Name in keyof EvaluateOptions]-?: true } = {
  input: true,
  history: true,
  pendingCalls: true,
  session: true,
  journal: true,
  runId: true,
  limits: true,
  signal: true,
  toolChoice: true,
  settings: true,
  streaming: true,
  retry: true,
  context: true,
  overrides: true,
  approve: true,
  enforce: true,
  feedback: true,
  completion: true,
  agentName: true,
  observers: true,
  logger: true,
  redact: true,
  clock: true,
  ids: true,
};

/** Options that had another name or another place before 0.2.0, with what takes their place. */
const places: ReadonlyMap<string, string> = new Map([
  ['maxTurns', 'limits.maxTurns'],
  ['maxOutputRepairs', 'limits.maxOutputRepairs'],
  ['maxRepeatedFailures', 'limits.maxRepeatedFailures'],
  ['maxResultCharacters', 'limits.maxResultCharacters'],
  ['concurrency', 'limits.maxConcurrentCalls'],
  ['maxExpansions', 'limits.maxSectionOpenings'],
  ['watchdogMs', 'limits.idleTimeoutMs'],
  ['deadline', 'limits.deadline'],
  ['budget', 'limits.budget'],
  ['maxConversationTurns', 'context.maxTurns'],
  ['contextOverflow', 'context.overflow'],
  ['throttle', 'retry'],
  ['onEvent', 'observers: [{ onEvent }]'],
]);

/** What takes the place of an option that was renamed or moved; undefined for any other name. */
export function newPlaceOf(option: string): string | undefined {
  return places.get(option);
}

/** @throws {PromptValidationError} for an option that does not exist; the message has the new place of one that moved. */
export function refuseUnknownOptions(options: object): void {
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, option)) continue;
    const place = newPlaceOf(option);
    throw new PromptValidationError(
      `There is no option ${option}. ${place === undefined ? `The options are ${Object.keys(known).join(', ')}.` : `Use ${place}.`}`,
      { details: { option } },
    );
  }
}
