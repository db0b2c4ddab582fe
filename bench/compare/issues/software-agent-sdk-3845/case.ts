import { type CellOutcome, fails, holds } from '../../harness/cell.ts';
import { Script } from '../../harness/script.ts';

/*
 * Asserted: a run may spend 10,000 tokens. It has spent 3,000 when it delegates to an agent that would never stop. The inner agent ends
 * with what is left: both together have spent 10,000 tokens, and those of one turn more at most.
 */
export const maxTokens = 10_000;
const tokensOfTurn = 1_000;
const most = 200;
const look = [{ name: 'look', arguments: {} }];

/** The model of the outer agent; a system that makes the tool itself gives it a name and arguments. */
export const outerScript = (name: string, input: Readonly<Record<string, unknown>>): Script =>
  new Script((request) => (request === 3 ? [{ name, arguments: input }] : look), { tokens: tokensOfTurn });
/** The model of the sub-agent. */
export const innerScript = new Script((request) => (request < most ? look : 'Done.'), {
  tokens: tokensOfTurn,
});

/** What the tool `look` does, whichever system runs it. */
export function lookAround(): string {
  return 'Nothing there.';
}

/** @param run runs the outer agent as far as the system lets it */
export async function check(outer: Script, run: () => Promise<unknown>): Promise<CellOutcome> {
  const error: unknown = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (innerScript.requests === 0) throw error ?? new Error('The sub-agent was not asked.');
  const spent = (outer.requests + innerScript.requests) * tokensOfTurn;
  const how = `The sub-agent makes ${innerScript.requests} requests, and both agents spend ${spent} tokens`;
  if (spent > maxTokens + tokensOfTurn) return fails(`${how}.`);
  if (spent < maxTokens) return fails(`${how}: the run ends before its budget.`);
  return holds(`${how}.`);
}
