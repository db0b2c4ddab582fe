import assert from 'node:assert/strict';
import {
  binding,
  defineAgent,
  defineDerivedSlice,
  defineEvent,
  defineSlice,
  PolicyDecision,
  promptTemplate,
  readBeforeWritePolicy,
  reducers,
  resourceToken,
  Session,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

// The test exports every constant here: the declaration files of a project have to be able to spell their types out.
interface MailService {
  send(to: string): Promise<void>;
}
const Mailer = resourceToken<MailService>('mailer');
const Finding = z.object({ id: z.string(), severity: z.enum(['low', 'high']) });
const FindingRecorded = defineEvent({ name: 'finding-recorded', schema: Finding });
const FindingSuspected = defineEvent({ name: 'finding-suspected', schema: Finding.pick({ id: true }) });

const sent: string[] = [];

const notify = tool({
  name: 'notify',
  description: 'Mails the findings.',
  inputSchema: z.object({ to: z.string() }),
  outputSchema: z.object({ ids: z.array(z.string()) }),
  execute: async ({ to }, { resources, session }) => {
    const mailer = await resources.get(Mailer);
    await mailer.send(to);
    return ToolResult.ok({
      ids: session
        .slice(Findings)
        .all()
        .map(({ id }) => id),
    });
  },
});

const Findings = defineSlice({
  name: 'findings',
  schema: Finding,
  key: ({ id }) => id,
  reducers: (on) => [
    on(FindingRecorded, reducers.append()),
    on(FindingSuspected, (items, { id }) => items.append({ id, severity: 'low' as const })),
  ],
});
const FindingIds = defineDerivedSlice({
  name: 'finding-ids',
  source: Findings,
  derive: (findings) => findings.map(({ id }) => id),
});

const askFirst: ToolPolicy = {
  name: 'ask-first',
  check: (_call, { session }) =>
    session.slice(Findings).all().length === 0
      ? PolicyDecision.ask('Nothing was found. Send it anyway?')
      : PolicyDecision.allow(),
};

const audit = section({
  title: 'Audit',
  key: 'audit',
  params: z.object({ area: z.string(), depth: z.number().default(1) }),
  template: (p) => `Look for problems in ${p.area}, ${p.depth} levels deep.`,
  tools: [notify],
  slices: [Findings, FindingIds],
  policies: [askFirst],
  resources: [
    binding(Mailer, {
      create: () => ({ send: async (to: string) => void sent.push(to) }),
      scope: 'tool-call',
    }),
  ],
});
const template = promptTemplate({
  ns: 'examples',
  key: 'audit',
  output: z.object({ sent: z.boolean() }),
  sections: [audit, vfsToolsSection({ policies: [readBeforeWritePolicy()] })],
});
const prompt = template.bind({ area: 'the harbour' });
const agent = defineAgent({ template, params: () => ({ area: 'the harbour' }) });
assert.ok(agent);

const session = new Session();
const response = await scriptedAdapter([
  { toolCalls: [{ name: 'notify', arguments: { to: 'ada@example.com' } }] },
  { text: '{"sent":true}' },
]).evaluate(prompt, { session, approve: ({ toolName }) => toolName === 'notify' });

const wasSent: boolean = response.output.sent;
assert.equal(wasSent, true);
assert.deepEqual(sent, ['ada@example.com']);
session.dispatch(FindingSuspected, { id: 'f-1' });
assert.deepEqual(session.slice(FindingIds).all(), ['f-1']);

// @ts-expect-error a required param is missing
assert.ok(() => template.bind({}));
// @ts-expect-error `area` is a string
assert.ok(() => template.bind({ area: 1 }));
// @ts-expect-error no such field in the output
assert.equal(response.output.received, undefined);
