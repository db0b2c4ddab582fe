import { describe, expectTypeOf, it } from 'vitest';
import {
  binding,
  defineEvent,
  defineSlice,
  type NamedResourceToken,
  PolicyDecision,
  promptTemplate,
  readBeforeWritePolicy,
  reducers,
  resourceToken,
  Session,
  type Slice,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

// An agent with a policy, state and a resource, written without annotations where a user would write none.
interface Mailer {
  send(to: string): Promise<void>;
}
const Mailer: NamedResourceToken<Mailer> = resourceToken<Mailer>('mailer');
const Finding = z.object({ id: z.string(), severity: z.enum(['low', 'high']) });
const FindingRecorded = defineEvent({ name: 'finding-recorded', schema: Finding });
const ClearFindings = defineEvent({ name: 'clear-findings', schema: Finding.pick({ severity: true }) });
const Findings = defineSlice({
  name: 'findings',
  schema: Finding,
  key: ({ id }) => id,
  reducers: (on) => [
    on(FindingRecorded, reducers.append()),
    on(ClearFindings, (findings, { severity }) =>
      findings.replace([...findings].filter((finding) => finding.severity !== severity)),
    ),
  ],
});
const askFirst: ToolPolicy = {
  name: 'ask-first',
  check: (_call, { session }) =>
    session.slice(Findings).length === 0
      ? PolicyDecision.ask('Nothing was found. Send it anyway?')
      : PolicyDecision.allow(),
};
const notify = tool({
  name: 'notify',
  description: 'Mails the findings.',
  inputSchema: z.object({ to: z.string() }),
  execute: async ({ to }, { resources, session }) => {
    await (await resources.get(Mailer)).send(to);
    return ToolResult.ok(
      session
        .slice(Findings)
        .all()
        .map(({ id }) => id),
    );
  },
});
const audit = section({
  title: 'Audit',
  key: 'audit',
  template: 'Look for problems.',
  tools: [notify],
  slices: [Findings],
  policies: [askFirst],
  resources: [binding(Mailer, { create: () => ({ send: async () => {} }), scope: 'tool-call' })],
});
const template = promptTemplate({
  ns: 'examples',
  key: 'audit',
  sections: [audit, vfsToolsSection()],
  policies: [readBeforeWritePolicy()],
});

describe('a governed agent', () => {
  it('infers the types of its state from one object', () => {
    expectTypeOf(Findings).toEqualTypeOf<Slice<{ id: string; severity: 'low' | 'high' }>>();
  });

  it('is evaluated as it is', () => {
    const run = async (): Promise<void> => {
      await using session = new Session();
      await scriptedAdapter([{ text: 'done' }]).evaluate(template.bind(), {
        session,
        approve: ({ toolName }) => toolName === 'notify',
      });
    };
    expectTypeOf(run).returns.resolves.toBeVoid();
  });
});
