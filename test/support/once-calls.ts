import {
  type AnyTool,
  type ConversationItem,
  type Prompt,
  promptTemplate,
  type RunJournal,
  resumeRun,
  type Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalOperations } from '../../src/core/runtime/index.ts';

const inputSchema: z.ZodObject<{ invoice: z.ZodString; amount: z.ZodNumber }> = z.object({
  invoice: z.string(),
  amount: z.number(),
});

type PayOptions = Parameters<typeof tool<typeof inputSchema, undefined>>[0];

/** The params of a payment. */
export const invoice = (name: string, amount = 5): { readonly invoice: string; readonly amount: number } => ({
  invoice: name,
  amount,
});

/** Pays an invoice once. @param paid what was really paid. */
export function payTool(
  paid: string[],
  extra: Partial<PayOptions> = {},
): ReturnType<typeof tool<typeof inputSchema, undefined>> {
  return tool({
    name: 'pay',
    description: 'Pays an invoice.',
    effects: 'external',
    inputSchema,
    once: (params) => `invoice/${params.invoice}`,
    execute: (params) => {
      paid.push(`${params.invoice}:${params.amount}`);
      return ToolResult.ok({ amount: params.amount }, `Paid ${params.amount}.`);
    },
    ...extra,
  });
}

export function payPrompt(tools: readonly AnyTool[], extra: object = {}): Prompt {
  return promptTemplate({
    ns: 'test',
    key: 'once',
    sections: [section({ title: 'Task', key: 'task', template: 'Pay.', tools })],
    ...extra,
  }).bind();
}

/** A model that calls a tool with these params in turn 1, and then ends. */
export const payingModel = (params: object, name = 'pay'): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((_conversation, { turn }) =>
    turn === 1 ? { toolCalls: [{ name, arguments: { ...params } }] } : { text: 'end' },
  );

/** What the model read of its calls. */
export function textsOf(conversation: readonly ConversationItem[]): readonly string[] {
  return conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
}

/** A journal that a process uses which is killed at one of its operations. */
export interface MortalJournal extends RunJournal {
  /** How many operations were begun that write. */
  readonly operations: number;
  readonly isDead: boolean;
}

/**
 * @param at the operation that the process is killed at; from then on nothing reaches the journal.
 * @param isDone whether that operation is durable: its answer is lost then.
 */
export function mortalJournal(journal: RunJournal, at: number, isDone: boolean): MortalJournal {
  let operations = 0;
  let isDead = false;
  const gone = (): Error => new Error('The process is gone.');
  const through = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDead) throw gone();
    operations += 1;
    if (operations !== at) return work();
    isDead = true;
    if (isDone) await work();
    throw gone();
  };
  const { ledger } = journal;
  return {
    ...journalOperations(journal),
    append: (batch, lease) => through(() => journal.append(batch, lease)),
    ...(ledger && {
      ledger: {
        once: (...parameters) => through(() => ledger.once(...parameters)),
        onceKeys: (filter) => ledger.onceKeys(filter),
        settleOnce: (key, outcome) => ledger.settleOnce(key, outcome),
        pruneOnce: (beforeMs) => ledger.pruneOnce(beforeMs),
        reserve: (...parameters) => through(() => ledger.reserve(...parameters)),
        spend: (...parameters) => through(() => ledger.spend(...parameters)),
        budgets: (filter) => ledger.budgets(filter),
        pruneBudgets: (beforeMs) => ledger.pruneBudgets(beforeMs),
      },
    }),
    get operations() {
      return operations;
    },
    get isDead() {
      return isDead;
    },
  };
}

/** A run that pays, in its own session, and what the model read. */
export async function payRun(
  journal: RunJournal,
  runId: string,
  prompt: Prompt,
  params: object,
  session?: Session,
): Promise<readonly string[]> {
  const options = { journal, runId, input: 'go', ...(session && { session }) };
  const { conversation } = await payingModel(params).evaluate(prompt, options);
  return textsOf(conversation);
}

/** Continues a run that was killed. */
export async function payAgain(
  journal: RunJournal,
  runId: string,
  prompt: Prompt,
  params: object,
): Promise<readonly string[]> {
  const { conversation } = await resumeRun({ adapter: payingModel(params), journal, runId, prompt });
  return textsOf(conversation);
}
