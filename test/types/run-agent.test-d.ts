import { describe, expectTypeOf, it } from 'vitest';
import {
  type AgentRun,
  type AnyAgent,
  type ApprovalSuspension,
  defineAgent,
  type PromptStream,
  promptTemplate,
  runAgent,
  type Session,
  section,
  streamAgent,
} from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { z } from 'zod';

const task = section({
  title: 'Task',
  key: 'task',
  params: z.object({ topic: z.string(), words: z.number().default(20) }),
  template: (p) => `${p.topic} in ${p.words} words`,
});
const template = promptTemplate({
  ns: 'a',
  key: 'b',
  sections: [task],
  output: z.object({ file: z.string() }),
});
const notes = defineAgent({ template });
const bare = defineAgent({ template: promptTemplate({ ns: 'a', key: 'c', sections: [] }) });

describe('runAgent', () => {
  it('types params and output by the template', async () => {
    const run = await runAgent(notes, { params: { topic: 'bees' } });
    expectTypeOf(run).toEqualTypeOf<AgentRun<{ file: string }>>();
    expectTypeOf(run.output).toEqualTypeOf<{ file: string }>();
    // @ts-expect-error a topic is a text
    await runAgent(notes, { params: { topic: 7 } });
    // @ts-expect-error no section has this param
    await runAgent(notes, { params: { colour: 'red' } });
    // @ts-expect-error the output has no such member
    expectTypeOf(run.output.fil).toBeAny();
    // @ts-expect-error a template without params takes none
    await runAgent(bare, { params: { x: 1 } });
    // @ts-expect-error no output schema, no output
    expectTypeOf((await runAgent(bare)).output.x).toBeAny();
  });

  it('leaves the name of the run to the agent', async () => {
    // @ts-expect-error an agent has its own name
    await runAgent(notes, { agent: 'x' });
    // @ts-expect-error an agent has its own name
    await runAgent(notes, { agentName: 'x' });
  });

  it('narrows a run that may be suspended', async () => {
    const approve: ApprovalSuspension = {} as ApprovalSuspension;
    const run = await runAgent(notes, { approve, journal: memoryJournal(), runId: 'r' });
    // @ts-expect-error it may be suspended
    expectTypeOf(run.output).toBeAny();
    expectTypeOf(run.runId).toBeString();
    if (run.finishReason === 'suspended') expectTypeOf(run.pending.length).toBeNumber();
    else expectTypeOf(run.output.file).toBeString();
  });

  it('runs any agent', async () => {
    const any: AnyAgent = notes;
    const run = await runAgent(any, { params: { whatever: 1 } });
    expectTypeOf(run.output).toBeUnknown();
    expectTypeOf(run.text).toBeString();
  });

  it('streams the same run', () => {
    expectTypeOf(streamAgent(notes)).toEqualTypeOf<
      PromptStream<{ file: string }, AgentRun<{ file: string }>>
    >();
  });

  it('gives prepare the params of the template', () => {
    const agent = defineAgent({
      template,
      prepare: ({ params, session, workspace }) => {
        expectTypeOf(params.topic).toBeString();
        expectTypeOf(session).toEqualTypeOf<Session>();
        expectTypeOf(workspace?.name).toEqualTypeOf<string | undefined>();
      },
      // @ts-expect-error a summary is a text
      conclude: () => ({ summary: 7 }),
    });
    expectTypeOf(agent).toExtend<AnyAgent>();
  });
});
