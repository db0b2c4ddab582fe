/** What a script found out about one system in one row. */
export type CellOutcome =
  /** `by` names the setting that makes it hold, in a few words, where the defaults do not. */
  | { readonly result: 'holds'; readonly reason: string; readonly by?: string }
  | { readonly result: 'fails'; readonly reason: string }
  /** The system has no notion of what the row asks for. */
  | { readonly result: 'no such thing'; readonly reason: string }
  /** It needs a server or a key. */
  | { readonly result: 'not run'; readonly reason: string }
  | { readonly result: 'figure'; readonly reason: string; readonly figure: string };

/** The assertion was run and holds. */
export function holds(reason: string): CellOutcome {
  return { result: 'holds', reason };
}

/** The assertion was run and does not hold. */
export function fails(reason: string): CellOutcome {
  return { result: 'fails', reason };
}

/** There is nothing to run: the system has no notion of it. */
export function noSuchThing(reason: string): CellOutcome {
  return { result: 'no such thing', reason };
}

/** It cannot be run here: it needs a server or a key. */
export function notRun(reason: string): CellOutcome {
  return { result: 'not run', reason };
}

/** A figure instead of an assertion. */
export function figure(value: string, reason: string): CellOutcome {
  return { result: 'figure', figure: value, reason };
}

/** The same outcome with the documented setting without which it fails, in a few words; other outcomes are not changed. */
export function by(setting: string, outcome: CellOutcome): CellOutcome {
  return outcome.result === 'holds' ? { result: 'holds', reason: outcome.reason, by: setting } : outcome;
}

/** What the line begins with that has the outcome: what a system prints itself is ignored. */
export const outcomePrefix = 'outcome: ';

/**
 * The body of a script. It prints the outcome; an error that the body throws is an error of the script, never an outcome.
 * The process ends then, also when a tool of the system is still waiting.
 */
export async function cell(body: () => Promise<CellOutcome> | CellOutcome): Promise<void> {
  try {
    const outcome = await body();
    process.stdout.write(`\n${outcomePrefix}${JSON.stringify(outcome)}\n`, () => process.exit(0));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`, () => process.exit(1));
  }
}
