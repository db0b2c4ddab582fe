import { type CellOutcome, fails, holds } from '../../harness/cell.ts';
import { Script } from '../../harness/script.ts';

/*
 * Asserted: the state is a list of texts. A tool appends values to it, each in a call of its own; most of them are not texts. Those are
 * refused: the call fails, or the run does, and the state does not have them. Where a run fails, another message continues the
 * conversation. In the end the state has exactly the texts.
 */
const texts = ['first', 'last'];
export const values: readonly unknown[] = ['first', null, 1, true, {}, ['a'], 'last'];

export const script = new Script((request) =>
  request <= values.length ? [{ name: 'keep', arguments: { at: request - 1 } }] : 'Done.',
);

/**
 * @param run sends a message to the conversation, and ends when the run does
 * @param read gives the list of the state, as another process would read it
 */
export async function check(run: () => Promise<unknown>, read: () => Promise<unknown>): Promise<CellOutcome> {
  let failed = 0;
  while (script.requests <= values.length) {
    const before = script.requests;
    try {
      await run();
      if (script.requests === before) throw new Error('The run ended without asking the model.');
    } catch (error) {
      failed += 1;
      if (script.requests > before) continue;
      if (before === 0) throw error;
      return fails(`After ${failed} runs that fail, the thread does not continue: ${wrongIn(await read())}.`);
    }
  }
  const kept = await read();
  if (!Array.isArray(kept) || kept.join() !== texts.join()) return fails(`In the end, ${wrongIn(kept)}.`);
  const how = failed === 0 ? 'a failed call each' : 'the run ends with it, and another message continues it';
  return holds(`What is not a text is not saved (${how}), and both texts are.`);
}

function wrongIn(kept: unknown): string {
  if (!Array.isArray(kept)) return 'the state cannot be read';
  const wrong = kept.filter((value) => typeof value !== 'string').length;
  return `of ${kept.length} values in the state ${wrong} are not texts`;
}
