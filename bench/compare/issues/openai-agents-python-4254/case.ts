import { type CellOutcome, fails, holds } from '../../harness/cell.ts';
import { Script } from '../../harness/script.ts';

/*
 * Asserted: the model asks for a refund, which is paid. The next request fails, and the run ends with it. It is run again with what was
 * kept of it, and the model asks for the same refund with another call id. One refund is paid, and the second call is answered with the
 * receipt of the first.
 */
const refund = [{ name: 'refund', arguments: { order: 'order-7', cents: 4_200 } }];
const paid: string[] = [];

export const script = new Script((request) => {
  if (request === 2) throw new Error('The model is overloaded.');
  return request < 4 ? refund : 'Refunded.';
});

/** What the tool does, whichever system runs it: its receipt is another one each time. */
export function payRefund(order: string): string {
  paid.push(order);
  return `Receipt ${paid.length} for ${order}.`;
}

/** @param run begins the run, or continues it: the first time it ends with the error of the model */
export async function check(run: () => Promise<unknown>): Promise<CellOutcome> {
  const error: unknown = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined || paid.length !== 1) throw error ?? new Error('The first run did not end early.');
  await run();
  if (script.requests !== 4) throw new Error(`The model was asked ${script.requests} times.`);
  const last = script.seen.at(-1);
  if (paid.length > 1) return fails(`The refund is paid ${paid.length} times.`);
  if (last?.id !== 'call-3-1' || !last.text.includes('Receipt 1'))
    return fails('The refund is paid once, and the second call does not read its receipt.');
  return holds('The refund is paid once, and the second call reads its receipt.');
}
