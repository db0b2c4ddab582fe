// The agent of the tour: it reviews the folder of a small freight company, publishes, deploys, and charges invoices.
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Agent,
  defineAgent,
  defineEvent,
  defineSlice,
  PolicyDecision,
  promptTemplate,
  type ResourceToken,
  reducers,
  resourceToken,
  type Slice,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

const Published = defineEvent({ name: 'published', schema: z.object({ file: z.string() }) });
/** What was published: state, which rolls back with its call. */
export const Publications: Slice<{ readonly file: string }> = defineSlice({
  name: 'publications',
  schema: z.object({ file: z.string() }),
  reducers: (on) => [on(Published, reducers.append())],
});

/** Effects outside: what a bank has done stays done. */
export interface Bank {
  charge(invoice: string): Promise<void>;
  /** How often an invoice was charged. */
  charges(invoice: string): Promise<number>;
}
/** The bank of a run; `resources` of `runAgent()` say which. */
export const Bank: ResourceToken<Bank> = resourceToken<Bank>('bank');

const publishReport = tool({
  name: 'publish_report',
  description: 'Publish REVIEW.md.',
  effects: 'state',
  execute: async (_params, { session, filesystem }) => {
    const { text } = await filesystem.read('REVIEW.md');
    await filesystem.write('REVIEW.md', text.replace('Status: draft', 'Status: published'));
    session.dispatch(Published, { file: 'REVIEW.md' });
    // Too late? No: what was written and dispatched is undone with the call.
    if (!text.includes('zones.md')) throw new Error('REVIEW.md is not complete: zones.md is missing.');
    return ToolResult.ok(null, 'Published.');
  },
});

/** Emits what became of a write of a handler whose time was over: the error, or undefined. */
export const lateWrites: EventEmitter<{ write: [error: unknown] }> = new EventEmitter();
const slowExport = tool({
  name: 'slow_export',
  description: 'Export all invoices as EXPORT.csv.',
  effects: 'state',
  timeoutMs: 100,
  execute: async (_params, { filesystem, signal }) => {
    // A handler that does not care about its signal.
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await sleep(50);
    await filesystem.write('EXPORT.csv', 'invoice,cents\n').then(
      () => lateWrites.emit('write', undefined),
      (error: unknown) => lateWrites.emit('write', error),
    );
    return ToolResult.ok(null, 'Exported.');
  },
});

const deploy = tool({
  name: 'deploy',
  description: 'Write the rates into the folder that the web shop reads.',
  inputSchema: z.object({ target: z.enum(['staging', 'production']) }),
  effects: 'state',
  execute: async ({ target }, { filesystem }) => {
    const { text } = await filesystem.read('rates.md');
    await filesystem.write(`${target}/rates.md`, text);
    return ToolResult.ok(null, `Deployed to ${target}.`);
  },
});
/** Asks about what a call is about to change, whichever tool does it. */
const protectProduction: ToolPolicy = {
  name: 'protect-production',
  checkChanges: (_call, changes) =>
    changes.some(({ path }) => path.startsWith('production/'))
      ? PolicyDecision.ask('Production needs a person.')
      : PolicyDecision.allow(),
};

const charge = tool({
  name: 'charge',
  description: 'Charge an invoice at the bank.',
  inputSchema: z.object({ invoice: z.string() }),
  effects: 'external',
  execute: async ({ invoice }, { resources }) => {
    await (await resources.get(Bank)).charge(invoice);
    return ToolResult.ok(null, `Charged ${invoice}.`);
  },
});
const askBank = tool({
  name: 'ask_bank',
  description: 'Ask the bank how often an invoice was charged.',
  inputSchema: z.object({ invoice: z.string() }),
  effects: 'read',
  execute: async ({ invoice }, { resources }) =>
    ToolResult.ok({ times: await (await resources.get(Bank)).charges(invoice) }),
});

/** No model and no files of its own: `runAgent()` gets both. */
export const agent: Agent<object> = defineAgent({
  name: 'freight',
  template: promptTemplate({
    ns: 'examples',
    key: 'tour',
    sections: [
      section({
        title: 'Freight',
        key: 'freight',
        template: 'Review the rates, publish, deploy, and charge what is open.',
        slices: [Publications],
        tools: [publishReport, slowExport, deploy, charge, askBank],
        policies: [protectProduction],
      }),
      // Its policy is read-before-write.
      vfsToolsSection(),
    ],
  }),
  workspace: {},
});
