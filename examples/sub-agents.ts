// Agents inside agents: state, files and usage of what they do, and what is dropped.
import assert from 'node:assert/strict';
import {
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  type RunEvent,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

// What an inner agent finds out, kept in the session.
const Found = defineEvent({ name: 'found', schema: z.object({ claim: z.string() }) });
const Findings = defineSlice({
  name: 'findings',
  schema: z.object({ claim: z.string() }),
  reducers: (on) => [on(Found, (items, finding) => items.append(finding))],
});
const note = tool({
  name: 'note',
  description: 'Note a finding.',
  inputSchema: z.object({ claim: z.string() }),
  effects: 'state',
  execute: ({ claim }, { session }) => {
    session.dispatch(Found, { claim });
    return ToolResult.ok(null, `Noted: ${claim}`);
  },
});

// The inner agent: it gets a question, works on the files of the calling agent, and answers with a verdict.
const research = promptTemplate({
  ns: 'examples/sub-agents',
  key: 'research',
  sections: [
    section({
      title: 'Research',
      key: 'research',
      params: z.object({ question: z.string() }),
      template: (p) => `Find out: ${p.question} Note every finding and write a report to report.md.`,
      tools: [note],
      slices: [Findings],
    }),
    vfsToolsSection(),
  ],
  output: z.object({ isSure: z.boolean() }),
});

// The tool that delegates. It refuses what the inner agent is not sure of, and then nothing of its work is left.
const investigate = tool({
  name: 'investigate',
  description: 'Have a question investigated.',
  inputSchema: z.object({ question: z.string() }),
  effects: 'state',
  execute: async ({ question }, { adapter, filesystem }) => {
    // Without this line the section would bind files of its own, which are not part of this call.
    const files = binding(Filesystem, { instance: filesystem });
    const { output, usage } = await adapter.evaluate(research.bind({ question }, { resources: [files] }));
    if (!output.isSure) return ToolResult.error(`No certain answer to: ${question}`);
    return ToolResult.ok(null, `Investigated for ${usage.inputTokens} tokens, see report.md.`);
  },
});
const filesystem = new MemoryFilesystem();
const lead = promptTemplate({
  ns: 'examples/sub-agents',
  key: 'lead',
  sections: [
    section({ title: 'Lead', key: 'lead', template: 'Have things investigated.', tools: [investigate] }),
  ],
  resources: [binding(Filesystem, { instance: filesystem })],
});

// One script for both agents, because they share an adapter. It is sure of the moon and not of the sun.
const questions = ['Is the moon round?', 'Is the sun cold?'];
const adapter = scriptedAdapter((_conversation, { instructions, turn }) => {
  const usage = { inputTokens: 10 };
  const question = questions.find((text) => instructions.includes(text));
  if (question === undefined) {
    const toolCalls = questions.map((text) => ({ name: 'investigate', arguments: { question: text } }));
    return turn === 1 ? { toolCalls, usage } : { text: 'Done.', usage };
  }
  if (turn > 1) return { text: JSON.stringify({ isSure: question.includes('moon') }), usage };
  return {
    toolCalls: [
      { name: 'note', arguments: { claim: `${question} Yes.` } },
      { name: 'write_file', arguments: { file_path: 'report.md', content: `# ${question}\n` } },
    ],
    usage,
  };
});

await using session = new Session();
session.install(Findings);
const inner: string[] = [];
const onEvent = (event: RunEvent): void => {
  const [outer] = event.path;
  if (outer !== undefined && event.type === 'tool-call-end') {
    inner.push(`${outer.callId} > ${event.toolName}`);
  }
};
const { conversation, usage } = await adapter.evaluate(lead.bind(), {
  session,
  observers: [{ onEvent }],
});

const answers = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
console.log(answers.join('\n'));

assert.deepEqual(answers, [
  'Investigated for 20 tokens, see report.md.',
  'No certain answer to: Is the sun cold?',
]);
// What was found out about the moon is there; about the sun there is nothing, and its report was never written.
assert.deepEqual(session.slice(Findings).all(), [{ claim: 'Is the moon round? Yes.' }]);
assert.equal((await filesystem.read('report.md')).text, '# Is the moon round?\n');
// The record keeps every call, also those of the evaluation whose work was dropped.
assert.deepEqual(
  session
    .slice(ToolCallLog)
    .all()
    .map(({ parentCallIds = [], toolName, outcome }) => [...parentCallIds, toolName, outcome].join(' > ')),
  [
    'call-1-1 > note > committed',
    'call-1-1 > write_file > committed',
    'investigate > committed',
    'call-1-2 > note > committed',
    'call-1-2 > write_file > committed',
    'investigate > rolled-back',
  ],
);
assert(inner.includes('call-1-1 > write_file'));
// Four model calls at 10 tokens for the moon and the lead, and twice two for the sun: its report.md had been written by the
// call before meanwhile, so the call ran again. What a superseded attempt spent is counted.
assert.deepEqual(usage, { inputTokens: 80 });
