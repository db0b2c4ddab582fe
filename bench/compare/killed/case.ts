import { appendFile } from 'node:fs/promises';
import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import { textOf } from '../harness/files.ts';
import { Script } from '../harness/script.ts';

/*
 * Asserted: a tool charges invoices, which cannot be taken back. The call for the first one finishes. The process is killed in the
 * call for the second one, after it was charged. Another process continues the run: the first invoice is charged once, and the
 * model reads of the open call before the second invoice would be charged again. A model that does not read of it asks for it again,
 * which is what this script does.
 */
const ledger = 'ledger';
const charge = (invoice: string) => [{ name: 'charge', arguments: { invoice } }];

/** The model of the process that is killed. */
export const killedScript = (): Script => new Script([charge('invoice-1'), charge('invoice-2'), 'Done.']);

/** The model of the process that continues. */
export const resumingScript = (): Script => {
  const script: Script = new Script(() => {
    if (script.requests === 1) chargesWhenAsked = chargesOf(ledgerText, 'invoice-2');
    if (!script.read.includes('invoice-1')) return charge('invoice-1');
    return script.read.includes('invoice-2') ? 'Done.' : charge('invoice-2');
  });
  return script;
};

let ledgerText = '';
let chargesWhenAsked = 0;

/** What the tool does, whichever system runs it. */
export async function chargeInvoice(invoice: string, isKilled: boolean): Promise<string> {
  await appendFile(ledger, `${invoice}\n`);
  ledgerText = (await textOf(ledger)) ?? '';
  if (isKilled && invoice === 'invoice-2') {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  }
  return `Charged ${invoice}.`;
}

const chargesOf = (text: string, invoice: string): number =>
  text.split('\n').filter((line) => line === invoice).length;

export async function check(script: Script): Promise<CellOutcome> {
  const text = (await textOf(ledger)) ?? '';
  const [first, second] = [chargesOf(text, 'invoice-1'), chargesOf(text, 'invoice-2')];
  if (first > 1) return fails(`The finished call runs ${first} times, the open one ${second} times.`);
  if (second > 1) {
    const again = chargesWhenAsked > 1 ? 'before the model is asked' : 'since the model reads nothing of it';
    const how = script.requests === 0 ? 'and the model is not asked' : again;
    return fails(`The finished call runs once; the open one runs again, ${how}.`);
  }
  if (script.requests === 0) return fails('The other process does not ask the model again.');
  return holds('The finished call runs once, and the model reads which call is open.');
}
