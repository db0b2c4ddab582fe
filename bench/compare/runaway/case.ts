import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import { Script } from '../harness/script.ts';

/*
 * Asserted, in two runs: the model asks for the same call for ever, which always fails; the run ends before 1,000 requests. The
 * model asks for calls that work, with 4,000 tokens a turn; the run ends once 10,000 tokens are spent. How it ends, with an error
 * or a result, is up to the system.
 */
export const maxTokens = 10_000;
const tokensOfTurn = 4_000;
const most = 1_000;

/** The model of the first run. */
export const failingScript = new Script((request) =>
  request < most ? [{ name: 'fetch_page', arguments: { page: 1 } }] : 'Done.',
);
/** The model of the second run. */
export const spendingScript = new Script(
  (request) => (request < most ? [{ name: 'fetch_page', arguments: { page: request + 1 } }] : 'Done.'),
  { tokens: tokensOfTurn },
);

/** What the tool does, whichever system runs it: page 1 does not exist. */
export function fetchPage(page: number): string {
  if (page === 1) throw new Error('The page does not exist.');
  return `This is page ${page}.`;
}

/**
 * @param failing runs the first script, and @param spending the second one, as far as the system lets it
 */
export async function check(
  failing: () => Promise<unknown>,
  spending: () => Promise<unknown>,
): Promise<CellOutcome> {
  const errors: unknown[] = [];
  for (const run of [failing, spending]) await run().catch((error: unknown) => errors.push(error));
  // A run that ends at once has nothing to do with a limit.
  if (failingScript.requests < 2 || spendingScript.requests === 0)
    throw errors[0] ?? new Error('A run ended at once.');
  const [failed, spent] = [failingScript.requests, spendingScript.requests];
  if (failed >= most) return fails('A call that always fails is asked for 1,000 times.');
  if (spent * tokensOfTurn > maxTokens + tokensOfTurn)
    return fails(`The run ends after ${spent * tokensOfTurn} tokens.`);
  return holds(
    `The failing run ends after ${failed} requests, the other one after ${spent * tokensOfTurn} tokens.`,
  );
}
